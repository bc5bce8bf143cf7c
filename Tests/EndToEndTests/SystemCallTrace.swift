import Glibc
import TestSupport

/// The system calls of a run, as strace saw them. It stops a thread before a call and after it: where one waits for the
/// other, the end of the first stands before the beginning of the second.
struct SystemCallTrace {
    struct Call {
        let name: String
        /// As strace writes them.
        var arguments: String
        /// Negative where it failed; nil where the run ended before it did.
        var result: Int?
        /// Lines of the trace.
        let began: Int
        var ended = Int.max
        /// The files and directories that it is about, as they were called when it began: relative to the traced directory if
        /// they lie in there.
        var paths: [String] = []

        func isDone(before other: Call) -> Bool { ended < other.began }
    }

    private(set) var calls: [Call] = []

    /// What strace wrote with `-f -y`. `directory` is the traced one.
    init(_ text: String, of directory: String) {
        // By the thread.
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

    /// `rest` are the arguments, or the last of them, and the result.
    private mutating func end(_ index: Int, at line: Int, _ rest: Substring) {
        guard let equals = rest.utf8.lastIndex(of: UInt8(ascii: "=")) else { return }
        let arguments = rest[..<equals].utf8
        calls[index].arguments += String(
            Substring(arguments[..<(arguments.lastIndex(of: UInt8(ascii: ")")) ?? equals)]))
        let result = rest[equals...].dropFirst(2)
        calls[index].result = Int(result.prefix { $0 == "-" || $0.isNumber })
        calls[index].ended = line
    }

    /// Those that went well and are about a path.
    func successes(_ names: Set<String>, _ path: String) -> [Call] {
        calls.filter { names.contains($0.name) && ($0.result ?? -1) >= 0 && $0.paths.contains(path) }
    }

    /// Each time that a file or directory was written to disk.
    func syncs(_ path: String) -> [Call] { successes(["fsync", "fdatasync"], path) }
}

extension SystemCallTrace.Call {
    /// A descriptor stands with its path, `7</there>`, and a name in double quotes; where the call is one of those that
    /// take both, the name is one in that directory.
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
                // Data, in which anything may stand.
                break
            }
        }
        return paths + (directory.map { [$0] } ?? [])
    }
}

extension Program {
    /// Runs the program, and tells of those of its system calls that change files or write them to disk.
    func trace(_ arguments: String...) async throws -> (result: ProcessResult, trace: SystemCallTrace) {
        try await trace(arguments)
    }

    /// The same; `fault` is something that strace is to put in its way.
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
