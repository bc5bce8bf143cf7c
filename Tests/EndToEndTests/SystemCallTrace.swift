import Glibc
import TestSupport

/// The system calls of a run, as strace recorded them.
///
/// strace stops a thread before and after a call: if one call waits for another, the end of the first comes before the
/// beginning of the second.
struct SystemCallTrace {
    struct Call {
        let name: String
        /// The arguments as strace writes them.
        var arguments: String
        /// The result, which is negative for a failure; nil if the run ended during the call.
        var result: Int?
        /// The lines of the trace where the call begins and ends.
        let began: Int
        var ended = Int.max
        /// The files and directories of the call, under their paths when it began: relative to the traced directory if
        /// they are inside it.
        var paths: [String] = []

        func isDone(before other: Call) -> Bool { ended < other.began }
    }

    private(set) var calls: [Call] = []

    /// Reads the output of strace with `-f -y`.
    ///
    /// `directory` is the traced directory.
    init(_ text: String, of directory: String) {
        // The unfinished calls by their threads.
        var unfinished: [Substring: Int] = [:]
        for (number, line) in text.utf8.split(separator: UInt8(ascii: "\n")).map(Substring.init).enumerated() {
            let thread = line.prefix { $0 != " " }
            let rest = line.dropFirst(thread.count).drop { $0 == " " }
            if rest.hasPrefix("<... ") {
                guard let index = unfinished.removeValue(forKey: thread) else { continue }
                end(index, at: number, rest.drop { $0 != ">" }.dropFirst())
            } else if let parenthesis = rest.firstIndex(of: "("), rest.first?.isLetter == true {
                let arguments = rest[parenthesis...].dropFirst()
                calls.append(Call(name: String(rest[..<parenthesis]), arguments: "", began: number))
                let mark = " <unfinished ...>"
                if arguments.hasSuffix(mark) {
                    unfinished[thread] = calls.count - 1
                    calls[calls.count - 1].arguments = String(arguments.dropLast(mark.count))
                } else {
                    end(calls.count - 1, at: number, arguments)
                }
            }
        }
        let prefix = directory + "/"
        for index in calls.indices {
            calls[index].paths = calls[index].namedPaths.map { path in
                path == directory ? "." : path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
            }
        }
    }

    /// Ends a call.
    ///
    /// `rest` has the arguments, or the last of them, and the result.
    private mutating func end(_ index: Int, at line: Int, _ rest: Substring) {
        guard let equals = rest.utf8.lastIndex(of: UInt8(ascii: "=")) else { return }
        let arguments = rest[..<equals].utf8
        calls[index].arguments += String(
            Substring(arguments[..<(arguments.lastIndex(of: UInt8(ascii: ")")) ?? equals)]))
        let result = rest[equals...].dropFirst(2)
        calls[index].result = Int(result.prefix { $0 == "-" || $0.isNumber })
        calls[index].ended = line
    }

    /// The calls that succeeded and are about a path.
    func successes(_ names: Set<String>, _ path: String) -> [Call] {
        calls.filter { names.contains($0.name) && ($0.result ?? -1) >= 0 && $0.paths.contains(path) }
    }

    /// The calls that synchronised a file or directory with the disk.
    func syncs(_ path: String) -> [Call] { successes(["fsync", "fdatasync"], path) }
}

extension SystemCallTrace.Call {
    /// Returns the paths in a call's arguments.
    ///
    /// A descriptor appears with its path, `7</there>`, and a name in double quotes. In calls that take both, the name
    /// is relative to that directory.
    fileprivate var namedPaths: [String] {
        let takesBoth = name.hasSuffix("at") || name.hasSuffix("at2")
        var paths: [String] = []
        var directory: String?
        var rest = arguments[...]
        while let start = rest.firstIndex(where: { $0 == "<" || $0 == "\"" }) {
            let isName = rest[start] == "\""
            let text = rest[start...].dropFirst().prefix { $0 != (isName ? "\"" : ">") }
            rest = rest[text.endIndex...].dropFirst()
            if isName, text.hasPrefix("/") {
                (paths, directory) = (paths + [String(text)], nil)
            } else if isName, takesBoth, let parent = directory {
                (paths, directory) = (paths + [parent + "/" + text], nil)
            } else if !isName {
                if let alone = directory { paths.append(alone) }
                directory = String(text)
            } else {
                // This argument is data, which can contain anything.
                break
            }
        }
        return paths + (directory.map { [$0] } ?? [])
    }
}

extension Program {
    /// Runs the program and returns a trace of the system calls that change files or synchronise them.
    func trace(_ arguments: String...) async throws -> (result: ProcessResult, trace: SystemCallTrace) {
        try await trace(arguments)
    }

    /// Does the same while strace injects `fault`.
    func trace(
        _ arguments: [String], fault: String? = nil
    ) async throws -> (result: ProcessResult, trace: SystemCallTrace) {
        let calls = """
            openat,write,writev,pwrite64,fsync,fdatasync,syncfs,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdirat
            """
        let file = directory.path("trace")
        let result = try await shell(
            #"""
            calls=$1 fault=$2 file=$3
            shift 3
            exec strace -f -qq -y -s 8192 -o "$file" -e "trace=$calls" ${fault:+-e "inject=$fault"} "$feedsync" "$@"
            """#, [calls, fault ?? "", file] + arguments)
        guard let path = realpath(cache, nil) else { throw SystemFailure.last("realpath \(cache)") }
        defer { free(path) }
        return (
            result, SystemCallTrace(String(decoding: try Files.bytes(file), as: UTF8.self), of: String(cString: path))
        )
    }
}
