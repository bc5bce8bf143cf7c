internal import FeedCore
internal import Glibc

/// Reading and checking files that are named by their digest.
enum ImageFile {
    private static let bufferSize = 256 * 1024

    /// The whole file, nil if its bytes are not those of the digest.
    static func bytes(_ digest: Digest, size: Int64, in folder: Descriptor) throws(FeedError) -> [UInt8]? {
        guard let file = try open(digest, in: folder, size: size) else { return nil }
        let bytes = try attempt(.failed) { () throws(SystemError) in try file.read(Int(size)) }
        let hash = try SHA256()
        try hash.update(bytes)
        return try hash.finish() == digest ? bytes : nil
    }

    /// Whether the file is there, regular, of this size and hashes to its name. Bytes that can't be read are damaged.
    static func isIntact(_ digest: Digest, size: Int64, in folder: Descriptor) throws(FeedError) -> Bool {
        guard let file = try open(digest, in: folder, size: size) else { return false }
        return try hashes(file, to: digest)
    }

    /// As `isIntact`, and makes sure that it stays: on disk, and not to be written to.
    static func isTrustworthy(_ digest: Digest, size: Int64, in folder: Descriptor) -> Bool {
        do {
            guard let file = try open(digest, in: folder, size: size), try hashes(file, to: digest) else {
                return false
            }
            return fchmod(file.number, 0o444) == 0 && fsync(file.number) == 0
        } catch {
            // Whatever is in the way of trusting it, there is a copy to replace it with.
            return false
        }
    }

    /// Nil if it isn't there, is no regular file or is of another size.
    static func open(_ digest: Digest, in folder: Descriptor, size: Int64) throws(FeedError) -> Descriptor? {
        do {
            // Not to wait for the other end of a pipe that somebody put here.
            let file = try folder.open(digest.hex, O_RDONLY | O_NONBLOCK)
            let status = try file.status()
            return status.isFile && status.st_size == size ? file : nil
        } catch {
            // Nothing there, a link, a socket, or a sector that can't be read.
            if [ENOENT, ELOOP, ENXIO, EIO].contains(error.code) { return nil }
            throw error.feedError(.failed)
        }
    }

    private static func hashes(_ file: Descriptor, to digest: Digest) throws(FeedError) -> Bool {
        let hash = try SHA256()
        while true {
            let chunk: [UInt8]
            do throws(SystemError) {
                chunk = try file.read(bufferSize)
            } catch {
                if error.code == EIO { return false }
                throw error.feedError(.failed)
            }
            if chunk.isEmpty { return try hash.finish() == digest }
            try hash.update(chunk)
        }
    }
}

extension Descriptor {
    /// Up to that many bytes from where the last read ended; fewer only at the end of the file.
    func read(_ count: Int) throws(SystemError) -> [UInt8] {
        try read(count) { target, wanted, _ in Glibc.read(number, target, wanted) }
    }

    /// The same from a place of the caller's choice.
    func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
        try read(count) { target, wanted, filled in pread(number, target, wanted, off_t(offset + filled)) }
    }

    private func read(
        _ count: Int, by call: (UnsafeMutablePointer<UInt8>?, _ wanted: Int, _ filled: Int) -> Int
    ) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = call(buffer.baseAddress.map { $0 + filled }, count - filled, filled)
                if got == 0 { return }
                if got > 0 {
                    filled += got
                } else if errno != EINTR {
                    failure = SystemError("can't be read", path)
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    func write(_ bytes: [UInt8]) throws(SystemError) {
        try bytes.withUnsafeBufferPointer { bytes throws(SystemError) in
            var written = 0
            while written < bytes.count {
                let count = Glibc.write(number, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if count >= 0 {
                    written += count
                } else if errno != EINTR {
                    throw SystemError("can't be written", path)
                }
            }
        }
    }
}
