import Testing

@Suite("A trace of system calls")
struct SystemCallTraceTests {
    private func trace(_ lines: String...) -> SystemCallTrace {
        SystemCallTrace(lines.map { $0 + "\n" }.joined(), of: "/cache")
    }

    @Test("A trace of system calls names each path relative to the directory")
    func paths() {
        let trace = trace(
            #"7     fsync(3</cache/incoming/0>)     = 0"#,
            #"7 renameat2(4</cache/incoming>, "0", 5</cache/images>, "ab", RENAME_NOREPLACE) = -1 EEXIST (File exists)"#,
            #"7 openat(AT_FDCWD</home>, "/cache/a", O_RDONLY) = 8</cache/a>"#,
            #"7 pwrite64(3</cache/log>, "5</x>, \"=\") = 1", 24, 0) = 24"#, #"7 fsync(3</cache>) = 0"#)
        #expect(trace.calls.map(\.name) == ["fsync", "renameat2", "openat", "pwrite64", "fsync"])
        #expect(trace.calls.map(\.paths) == [["incoming/0"], ["incoming/0", "images/ab"], ["a"], ["log"], ["."]])
        #expect(trace.calls.map(\.result) == [0, -1, 8, 24, 0])
        #expect(trace.syncs("incoming/0").count == 1)
        #expect(trace.successes(["renameat2"], "images/ab").isEmpty)
    }

    @Test("A trace of system calls joins interleaved calls, and recognises calls that never ended")
    func threads() throws {
        let trace = trace(
            "10 fsync(3</cache/a> <unfinished ...>", "11 fsync(4</cache/b>) = 0",
            "12 fsync(5</cache/c> <unfinished ...>",
            "--- SIGCHLD ---", "10 <... fsync resumed>)  = 0", "13 fsync(6</cache/d>) = 0", "10 +++ exited with 0 +++")
        let calls = trace.calls
        try #require(calls.map(\.paths) == [["a"], ["b"], ["c"], ["d"]])
        #expect(calls.map(\.result) == [0, 0, nil, 0])
        #expect(calls[0].isDone(before: calls[3]))
        #expect(!calls[0].isDone(before: calls[1]) && !calls[1].isDone(before: calls[0]))
        #expect(!calls[2].isDone(before: calls[3]))
        #expect(trace.syncs("c").isEmpty)
    }
}
