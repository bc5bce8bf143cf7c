// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = [], embedding files: [String] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, resources: files.map { .embedInCode($0) }, swiftSettings: swiftSettings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport", "TestDoubles"], swiftSettings: swiftSettings)
}

func system(_ name: String, pkgConfig: String?, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
    name: "feedsync",
    products: [.executable(name: "feedsync", targets: ["feedsync"])],
    targets: [
        system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        system("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev"),
        system("CArchive", pkgConfig: "libarchive", apt: "libarchive-dev"),
        system("CXML", pkgConfig: "libxml-2.0", apt: "libxml2-dev"),
        system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        system("CIDN", pkgConfig: "libidn2", apt: "libidn2-dev"),

        .systemLibrary(name: "CLinux"),
        .target(name: "CChild"),

        library("FeedCore", ["CIDN"]),
        library("SystemFiles", ["FeedCore", "CLinux"]),
        library("JSONText"),
        library("FeedFormats", ["FeedCore", "JSONText", "CXML"]),
        library("HTTPTransport", ["FeedCore", "CCurl", "CZlib"]),
        library("Hashing", ["FeedCore", "CCrypto"]),
        library("CacheStorage", ["FeedCore", "Hashing", "SystemFiles", "CSQLite", "CLinux"]),
        library("CacheArchive", ["FeedCore", "Hashing", "JSONText", "SystemFiles", "CArchive"]),
        library(
            "Layouts", ["FeedCore", "Hashing", "JSONText", "SystemFiles", "CLinux", "CChild"],
            embedding: ["Gallery/Assets"]),
        library("FeedCommands", ["FeedCore", "Hashing", "JSONText"], embedding: ["Help/Topics"]),
        .executableTarget(
            name: "feedsync",
            dependencies: [
                "FeedCommands", "FeedCore", "FeedFormats", "HTTPTransport", "CacheStorage", "CacheArchive", "Layouts",
                "SystemFiles", "CLinux", "CArchive", "CCurl", "CSQLite", "CXML",
            ],
            swiftSettings: swiftSettings),

        .executableTarget(
            name: "feed-decoding-bench", dependencies: ["FeedFormats", "FeedCore"],
            path: "Tests/Benchmarks/FeedDecoding", swiftSettings: swiftSettings),
        .executableTarget(
            name: "delaying-relay", dependencies: ["TestSupport"],
            path: "Tests/Benchmarks/DelayingRelay", swiftSettings: swiftSettings),
        .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),
        .systemLibrary(name: "CEpoll", path: "Tests/CEpoll"),
        .target(
            name: "TestSupport", dependencies: ["JSONText", "CSpawn", "CEpoll"], path: "Tests/TestSupport",
            swiftSettings: swiftSettings),
        .target(
            name: "TestDoubles", dependencies: ["FeedCore", "Hashing", "TestSupport"], path: "Tests/TestDoubles",
            swiftSettings: swiftSettings),
        // Linked with libFuzzer by scripts/fuzz.
        .target(
            name: "Fuzzing", dependencies: ["CacheArchive", "FeedFormats", "FeedCore", "TestSupport", "TestDoubles"],
            path: "Tests/Fuzzing",
            swiftSettings: swiftSettings),
        tests("FeedCoreTests", ["FeedCore"]),
        tests("JSONTextTests", ["JSONText"]),
        tests("FeedFormatsTests", ["FeedFormats", "FeedCore", "JSONText"]),
        tests("HTTPTransportTests", ["HTTPTransport", "FeedCore"]),
        tests("HashingTests", ["Hashing", "FeedCore"]),
        tests("CacheStorageTests", ["CacheStorage", "FeedCore", "SystemFiles"]),
        tests("CacheArchiveTests", ["CacheArchive", "FeedCore", "JSONText"]),
        tests("LayoutsTests", ["Layouts", "FeedCore", "Hashing", "SystemFiles"]),
        tests("FeedCommandsTests", ["FeedCommands", "FeedCore"]),
        // It knows the program by its options alone: a change in Sources compiles none of it again.
        .testTarget(name: "EndToEndTests", dependencies: ["JSONText", "TestSupport"], swiftSettings: swiftSettings),
    ]
)
