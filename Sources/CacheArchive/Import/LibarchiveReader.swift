internal import CArchive
internal import FeedCore
internal import Glibc

/// A reader of libarchive's that takes its input from a closure.
final class LibarchiveReader {
    let handle: OpaquePointer
    private let input: () throws(FeedError) -> UnsafeRawBufferPointer?
    /// The error that the input threw. libarchive itself learns only that there was one.
    private(set) var inputFailure: FeedError?

    /// `input` returns the next bytes, which stay valid until it is called again, and nil at the end.
    init(_ input: @escaping () throws(FeedError) -> UnsafeRawBufferPointer?) throws(FeedError) {
        guard let handle = archive_read_new() else { throw Self.outOfMemory }
        self.handle = handle
        self.input = input
    }

    deinit { archive_read_free(handle) }

    /// Reads the beginning of the input and returns libarchive's code. Formats and filters are enabled before that.
    func open() -> Int32 {
        archive_read_open(
            handle, Unmanaged.passUnretained(self).toOpaque(), nil,
            { _, reader, block in
                guard let reader, let block else { return -1 }
                return Unmanaged<LibarchiveReader>.fromOpaque(reader).takeUnretainedValue().read(block)
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

    /// Treats every code but OK as a failure, because a warning also means an archive that is not as it should be.
    func check(_ code: Int32) throws(FeedError) {
        guard code == ARCHIVE_OK else { throw failure() }
    }

    /// The reason why the last call failed. `position` says where in the archive that was.
    func failure(_ position: String = "") -> FeedError {
        if let inputFailure { return inputFailure }
        if archive_errno(handle) == ENOMEM { return Self.outOfMemory }
        let reason = handle.errorText.map { ": \($0)" } ?? ""
        return .invalidData("\(position)the archive is damaged or cut off\(reason)")
    }

    private static let outOfMemory = FeedError.storage(.failed, "out of memory")
}

extension OpaquePointer {
    /// What libarchive says about the last failure of an archive; nil where it says nothing.
    var errorText: String? { archive_error_string(self).map { String(cString: $0) } }
}
