// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: swiftSettings)
}

func system(_ name: String, pkgConfig: String?, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
    name: "feedsync",
    products: [.executable(name: "feedsync", targets: ["feedsync"])],
    targets: [
        // Not linked: it is loaded when it is first needed. Its shim says why.
        system("CCurl", pkgConfig: nil, apt: "libcurl4-openssl-dev"),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        system("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev"),

        library("FeedCore"),
        library("JSONText"),
        library("FeedFormats", ["FeedCore", "JSONText"]),
        library("HTTPTransport", ["FeedCore", "CCurl"]),
        library("CacheStorage", ["FeedCore", "CSQLite", "CCrypto"]),
        library("FeedCommands", ["FeedCore", "JSONText"]),
        .executableTarget(
            name: "feedsync",
            dependencies: ["FeedCommands", "FeedCore", "FeedFormats", "HTTPTransport", "CacheStorage"],
            swiftSettings: swiftSettings),

        .target(
            name: "TestSupport", dependencies: ["FeedCore"], path: "Tests/TestSupport", swiftSettings: swiftSettings),
        tests("FeedCoreTests", ["FeedCore"]),
        tests("JSONTextTests", ["JSONText"]),
        tests("FeedFormatsTests", ["FeedFormats", "FeedCore"]),
        tests("HTTPTransportTests", ["HTTPTransport", "FeedCore"]),
        tests("CacheStorageTests", ["CacheStorage", "FeedCore"]),
        tests("FeedCommandsTests", ["FeedCommands", "FeedCore"]),
        tests("EndToEndTests", ["JSONText", "feedsync"]),
    ]
)
