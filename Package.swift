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

func system(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
    name: "feedsync",
    products: [.executable(name: "feedsync", targets: ["feedsync"])],
    targets: [
        system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        system("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev"),
        system("CXML", pkgConfig: "libxml-2.0", apt: "libxml2-dev"),

        library("FeedCore"),
        library("JSONText"),
        library("FeedFormats", ["FeedCore", "JSONText", "CXML"]),
        library("HTTPTransport", ["FeedCore", "CCurl"]),
        library("CacheStorage", ["FeedCore", "CSQLite", "CCrypto"]),
        library("FeedCommands", ["FeedCore", "JSONText"]),
        .executableTarget(
            name: "feedsync",
            dependencies: ["FeedCommands", "FeedCore", "FeedFormats", "HTTPTransport", "CacheStorage"],
            swiftSettings: swiftSettings),

        .executableTarget(
            name: "feed-decoding-bench", dependencies: ["FeedFormats", "FeedCore"],
            path: "Tests/Benchmarks/FeedDecoding", swiftSettings: swiftSettings),
        .target(
            name: "TestSupport", dependencies: ["FeedCore"], path: "Tests/TestSupport", swiftSettings: swiftSettings),
        // Linked with libFuzzer by scripts/fuzz.
        .target(
            name: "Fuzzing", dependencies: ["FeedFormats", "FeedCore", "TestSupport"], path: "Tests/Fuzzing",
            swiftSettings: swiftSettings),
        tests("FeedCoreTests", ["FeedCore"]),
        tests("JSONTextTests", ["JSONText"]),
        tests("FeedFormatsTests", ["FeedFormats", "FeedCore", "JSONText"]),
        tests("HTTPTransportTests", ["HTTPTransport", "FeedCore"]),
        tests("CacheStorageTests", ["CacheStorage", "FeedCore"]),
        tests("FeedCommandsTests", ["FeedCommands", "FeedCore"]),
        tests("EndToEndTests", ["JSONText", "feedsync"]),
    ]
)
