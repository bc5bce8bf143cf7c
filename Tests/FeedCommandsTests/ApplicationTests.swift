import FeedCommands
import FeedCore
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("The program")
struct ApplicationTests {
    @Test(
        "the program closes the cache however the command ends",
        arguments: [
            (["status"], ExitCode.ok), (["show", "--offline", "http://feeds.example/"], .notFound),
            (["validate", "--deep"], .ok), (["sync"], .usage), (["gallery", "dir"], .ok), (["export", "-"], .notFound),
            (["import", "-"], .invalidData),
        ])
    func closing(_ arguments: [String], _ code: ExitCode) async {
        let closings = Tally()
        var world = Self.world
        world.closingCache = { closings.add(1) }
        #expect(await Application(world).run(arguments) == code)
        // A file that is not an archive opens no cache.
        #expect(closings.count == (arguments[0] == "import" ? 0 : 1))
    }

    @Test("the program does not wait for a monitor after a signal to end", .timeLimit(.minutes(15)))
    func slowMonitor() async {
        let run = Mutex<Task<ExitCode, Never>?>(nil)
        let output = RecordedOutput()
        var world = Self.world
        world.output = output
        world.answer = { request in
            guard request.url.text.hasSuffix("/0") else { return .ok([]) }
            return ScriptedHTTPClient.Answer.ok([]).after {
                run.withLock { $0?.cancel() }
                while !Task.isCancelled { await Task.yield() }
            }
        }
        let application = Application(world)
        let task = run.withLock { run in
            let task = Task {
                await application.run(["--ping-url", "http://monitor.example/x", "http://feeds.example/"])
            }
            run = task
            return task
        }
        #expect(await task.value == .ok)
        #expect(output.said == [])
    }

    private static let world = FakeWorld(accountHome: "/home", existing: ["/home/.cache/feedsync"])
}
