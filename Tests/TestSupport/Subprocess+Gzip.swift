extension Subprocess {
    /// The same bytes for the same bytes.
    package static func gzip(_ plain: [UInt8]) async throws -> [UInt8] {
        try await run("gzip", ["-nc"], standardInput: plain).standardOutput
    }
}
