extension Subprocess {
    /// Compresses bytes.
    ///
    /// The same input always gives the same output.
    package static func gzip(_ plain: [UInt8]) async throws -> [UInt8] {
        try await run("gzip", ["-nc"], standardInput: plain).standardOutput
    }
}
