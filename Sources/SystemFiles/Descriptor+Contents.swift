internal import Glibc

extension Descriptor {
    /// Reads that many bytes; fewer only at the end of the file.
    package func read(_ count: Int, at offset: Int = 0) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SystemError) {
                filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Fills the buffer, and returns how many bytes it got: fewer than there is room for only at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = pread(number, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, offset + filled)
            if count == 0 { break }
            if count > 0 {
                filled += count
            } else if errno != EINTR {
                throw SystemError("can't be read", path)
            }
        }
        return filled
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try bytes.withUnsafeBufferPointer { bytes throws(SystemError) in try write(UnsafeRawBufferPointer(bytes)) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
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

    /// Visits the name and the `d_type` of each entry of the directory. Names are bytes, which need not be UTF-8.
    package func forEachEntry(
        _ visit: (UnsafePointer<CChar>, _ type: UInt8) throws(SystemError) -> Void
    ) throws(SystemError) {
        // The directory is opened again, as a duplicate of the descriptor would share its position.
        let listed = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listed >= 0 else { throw SystemError("can't be listed", path) }
        guard let stream = fdopendir(listed) else {
            let failure = SystemError("can't be listed", path)
            close(listed)
            throw failure
        }
        defer { closedir(stream) }
        errno = 0
        while let entry = readdir(stream) {
            try withUnsafePointer(to: &entry.pointee.d_name) { tuple throws(SystemError) in
                let name = UnsafeRawPointer(tuple).assumingMemoryBound(to: CChar.self)
                if strcmp(name, ".") != 0 && strcmp(name, "..") != 0 { try visit(name, entry.pointee.d_type) }
            }
            errno = 0
        }
        guard errno == 0 else { throw SystemError("can't be listed", path) }
    }
}
