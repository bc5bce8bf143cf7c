internal import CSpawn
import Glibc
import Synchronization

/// Runs other programs.
package enum Subprocess {
    /// Runs a program until it ends.
    ///
    /// `executable` is a path, or a name to find in PATH. `environment` is the complete environment; nil hands on that
    /// of this process.
    package static func run(
        _ executable: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        standardInput: [UInt8] = []
    ) async throws -> ProcessResult {
        let process = try StartedProcess(
            executable, arguments, environment: environment, standardInput: standardInput)
        return await process.wait()
    }
}

package struct ProcessResult: Sendable {
    package enum Status: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    package let status: Status
    package let standardOutput: [UInt8]
    package let standardError: [UInt8]

    package var exitCode: Int32? {
        if case .exited(let code) = status { code } else { nil }
    }

    package var outputText: String { String(decoding: standardOutput, as: UTF8.self) }
    package var errorText: String { String(decoding: standardError, as: UTF8.self) }
}

/// A running program.
///
/// Its own thread feeds and drains its pipes, so that the program never waits for the test.
package final class StartedProcess: Sendable {
    private struct State {
        var result: ProcessResult?
        var isReaped = false
        var waiting: [CheckedContinuation<ProcessResult, Never>] = []
    }

    package let pid: Int32
    private let state: Mutex<State>

    /// Starts a program.
    ///
    /// It gets `descriptors` as 3, 4 and so on; they stay open in this process.
    package init(
        _ executable: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        standardInput: [UInt8] = [], descriptors: [Int32] = []
    ) throws(SystemFailure) {
        state = Mutex(State())
        // Programs start one at a time, because a child would inherit the pipes of another one that is just starting.
        let (pipes, pid) = try spawning.withLock { _ throws(SystemFailure) in
            let pipes = try ProcessPipes()
            do throws(SystemFailure) {
                let ends = pipes.childEnds + descriptors
                let environment = environment ?? currentEnvironment()
                let pid = try spawn(executable, arguments, environment, keeping: ends.count) { actions in
                    for (target, end) in ends.enumerated() {
                        posix_spawn_file_actions_adddup2(&actions, end, Int32(target))
                    }
                }
                return (pipes, pid)
            } catch {
                pipes.closeAll()
                throw error
            }
        }
        self.pid = pid
        pipes.closeChildEnds()
        do throws(SystemFailure) {
            try BlockingThread.start { self.serve(pipes, standardInput) }
        } catch {
            Glibc.kill(pid, SIGKILL)
            throw error
        }
    }

    /// Starts a program with all three streams on a terminal, which becomes its controlling terminal: typed keys can
    /// interrupt it.
    package init(
        _ executable: String, _ arguments: [String] = [], environment: [String: String], on terminal: PseudoTerminal
    ) throws(SystemFailure) {
        state = Mutex(State())
        pid = try spawning.withLock { _ throws(SystemFailure) in
            try spawn(executable, arguments, environment, inNewSession: true) { actions in
                posix_spawn_file_actions_addopen(&actions, 0, terminal.path, O_RDWR, 0)
                posix_spawn_file_actions_adddup2(&actions, 0, 1)
                posix_spawn_file_actions_adddup2(&actions, 0, 2)
            }
        }
        try BlockingThread.start {
            let shown = terminal.drain()
            self.end(ProcessResult(status: self.reap(), standardOutput: shown, standardError: []))
        }
    }

    /// Sends a signal.
    ///
    /// It does nothing after the program has ended, when the number may belong to another process.
    package func kill(_ signal: Int32) {
        state.withLock { if !$0.isReaped { _ = Glibc.kill(pid, signal) } }
    }

    /// The result; nil while the program runs.
    package var result: ProcessResult? { state.withLock { $0.result } }

    package func wait() async -> ProcessResult {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiting.append(continuation) }
                return state.result
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    private func serve(_ pipes: ProcessPipes, _ input: [UInt8]) {
        let (output, error) = pipes.drain(feeding: input)
        end(ProcessResult(status: reap(), standardOutput: output, standardError: error))
    }

    private func end(_ result: ProcessResult) {
        let waiting = state.withLock { state in
            state.result = result
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }

    private func reap() -> ProcessResult.Status {
        // The program stays unreaped during the wait. Otherwise, `kill` could hit another process with the same number.
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return state.withLock { state in
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            state.isReaped = true
            let signal = status & 0x7F
            return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
        }
    }
}

private let spawning = Mutex(())
/// The value of POSIX_SPAWN_SETSID, which Swift can't see.
private let spawnInNewSession: Int32 = 0x80

private func currentEnvironment() -> [String: String] {
    var environment: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
        let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { environment[String(parts[0])] = String(parts[1]) }
        entry += 1
    }
    return environment
}

private func spawn(
    _ executable: String, _ arguments: [String], _ environment: [String: String], inNewSession: Bool = false,
    keeping kept: Int = 3, _ redirect: (inout posix_spawn_file_actions_t) -> Void
) throws(SystemFailure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    redirect(&actions)
    // Otherwise the sockets and pipes of other tests would stay open as long as the child lives.
    feedsync_close_from(&actions, Int32(kept))

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var pipeSignal = sigset_t()
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &pipeSignal)
    let session = inNewSession ? spawnInNewSession : 0
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | session))

    var argv = ([executable] + arguments).map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, executable, &actions, &attributes, &argv, &envp)
    guard code == 0 else { throw .code(code, "starting \(executable)") }
    return pid
}
