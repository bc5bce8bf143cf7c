internal import FeedCore
internal import Glibc
internal import SystemFiles

/// The bytes of a staged image: in memory, or in a file.
struct StagedBytes: Sendable {
    private static let mostHeld = 128 << 10

    private(set) var held: [UInt8] = []
    /// In `incoming`.
    private(set) var name: String?
    /// While there is more to be done with the file.
    private var file: Descriptor?

    mutating func append(_ chunk: [UInt8], in staging: Staging) throws(SystemError) {
        if file == nil {
            if held.count + chunk.count <= Self.mostHeld {
                if held.isEmpty { held = chunk } else { held += chunk }
                return
            }
            try moveToFile(in: staging)
        }
        try file?.write(chunk)
    }

    /// Writes what is in memory.
    mutating func write(in staging: Staging) throws(SystemError) {
        if file == nil { try moveToFile(in: staging) }
    }

    /// Waits until all that was written is on disk.
    mutating func makeDurable(in staging: Staging) throws(SystemError) {
        if let file { try staging.makeDurable(file) }
        file = nil
    }

    mutating func discard(in staging: Staging) {
        if let name { unlinkat(staging.folder.number, name, 0) }
        held = []
        forget()
    }

    /// The file is somebody else's from now on.
    mutating func forget() {
        name = nil
        file = nil
    }

    private mutating func moveToFile(in staging: Staging) throws(SystemError) {
        let (name, file) = try staging.makeFile()
        self.name = name
        self.file = file
        try file.write(held)
        held = []
    }
}
