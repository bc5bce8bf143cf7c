internal import CArchive
internal import FeedCore
internal import Glibc

/// A reader of libarchive that takes its input from a closure.
final class LibarchiveReader {
    let handle: OpaquePointer
    private let input: () throws(FeedError) -> UnsafeRawBufferPointer?
    private let skip: (Int64) -> Int64
    /// The error that the input threw.
    ///
    /// libarchive itself learns only that reading failed.
    private(set) var inputFailure: FeedError?

    /// Creates a reader.
    ///
    /// `skip` skips up to the given number of bytes, and returns how many it skipped. `input` returns the next bytes,
    /// which stay valid until the next call, and nil at the end.
    init(
        skip: @escaping (Int64) -> Int64 = { _ in 0 },
        _ input: @escaping () throws(FeedError) -> UnsafeRawBufferPointer?
    ) throws(FeedError) {
        guard let handle = archive_read_new() else { throw Self.outOfMemory }
        self.handle = handle
        self.skip = skip
        self.input = input
    }

    deinit { archive_read_free(handle) }

    /// Reads the beginning of the input and returns libarchive's code.
    ///
    /// Formats and filters are enabled before that.
    func open() -> Int32 {
        archive_read_open2(
            handle, Unmanaged.passUnretained(self).toOpaque(), nil,
            { _, reader, block in
                guard let reader, let block else { return -1 }
                return Unmanaged<LibarchiveReader>.fromOpaque(reader).takeUnretainedValue().read(block)
            },
            { _, reader, count in
                guard let reader else { return 0 }
                return Unmanaged<LibarchiveReader>.fromOpaque(reader).takeUnretainedValue().skip(count)
            }, nil)
    }

    private func read(_ block: UnsafeMutablePointer<UnsafeRawPointer?>) -> Int {
        do throws(FeedError) {
            let bytes = try input()
            block.pointee = bytes?.baseAddress
            return bytes?.count ?? 0
        } catch {
            inputFailure = error
            feedsync_set_error(handle, -1, "reading failed")
            return -1
        }
    }

    /// Treats every code but OK as a failure, because a warning also means a faulty archive.
    func check(_ code: Int32) throws(FeedError) {
        guard code == ARCHIVE_OK else { throw failure() }
    }

    /// The reason why the last call failed.
    ///
    /// `position` says where in the archive that was.
    func failure(_ position: String = "") -> FeedError {
        if let inputFailure { return inputFailure }
        if archive_errno(handle) == ENOMEM { return Self.outOfMemory }
        let reason = handle.errorText.map { ": \($0)" } ?? ""
        return .invalidData("\(position)the archive is damaged or cut off\(reason)")
    }

    private static let outOfMemory = FeedError.storage(.failed, "out of memory")
}

extension OpaquePointer {
    /// libarchive's description of the last failure, or nil if there is none.
    var errorText: String? { archive_error_string(self).map { String(cString: $0) } }
}

/// Runs libarchive with the character encoding UTF-8.
///
/// libarchive reads and writes names in the encoding of the thread's locale: in the C locale it would warn about an
/// owner's name beyond ASCII, and convert each name that it writes.
enum UTF8Locale {
    /// The locale.
    ///
    /// Unsafe: it is created once, stays constant, and is kept until the end of the process, because any thread may be
    /// using it.
    private nonisolated(unsafe) static let locale = newlocale(Int32(LC_CTYPE_MASK), "C.UTF-8", nil)

    /// Runs `work` with UTF-8 as the encoding of names in this thread.
    static func during<Outcome, Failure>(_ work: () throws(Failure) -> Outcome) throws(Failure) -> Outcome {
        guard let locale else { return try work() }
        let previous = uselocale(locale)
        defer { uselocale(previous) }
        return try work()
    }
}
