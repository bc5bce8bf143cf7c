import Glibc

/// One thing that takes bytes from outside, for libFuzzer to find bytes that break it.
///
/// A new one is a case here and a file beside this one.
enum FuzzTarget: String, CaseIterable {
    /// An answer from a server, or a file, that may be a feed or a subscription list.
    case feed
    /// A whole archive, as it is imported.
    case archive = "import"
    /// The texts in an archive, put together so that every digest is right.
    case layout

    /// Bytes to begin with, each under a name.
    var seeds: [(name: String, bytes: [UInt8])] {
        switch self {
        case .feed: FeedFuzzing.seeds
        case .archive: ArchiveFuzzing.seeds
        case .layout: LayoutFuzzing.seeds
        }
    }

    func run(_ bytes: [UInt8]) {
        switch self {
        case .feed: FeedFuzzing.run(bytes)
        case .archive: ArchiveFuzzing.run(bytes)
        case .layout: LayoutFuzzing.run(bytes)
        }
    }

    /// The target that the environment variable FUZZ_TARGET names.
    static let chosen: FuzzTarget = {
        let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            preconditionFailure("no target \(name): \(allCases.map(\.rawValue))")
        }
        return target
    }()
}

/// Called by libFuzzer once, before anything else: with FUZZ_SEEDS, only writes the seeds into that directory.
@_cdecl("LLVMFuzzerInitialize")
public func initialise(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    guard let directory = getenv("FUZZ_SEEDS").map({ String(cString: $0) }) else { return 0 }
    for (name, bytes) in FuzzTarget.chosen.seeds {
        guard let file = fopen("\(directory)/\(name)", "w") else { exit(1) }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }
    exit(0)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    FuzzTarget.chosen.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
