import Glibc
import JSONText
import Synchronization
import TestSupport
import Testing

/// Debian's Chromium without a window, with no network but the loopback.
///
/// Tests control it with the DevTools protocol.
final class Browser: Sendable {
    private struct State {
        var lastID = 0
        var waiting: [Int: CheckedContinuation<Result<JSONValue, BrowserFailure>, Never>] = [:]
        var events: [String: [JSONValue]] = [:]
        var isGone = false
    }

    private let process: StartedProcess
    private let pipes: MessagePipes
    private let profile: TemporaryDirectory
    private let state = Mutex(State())

    init() throws {
        profile = try TemporaryDirectory()
        pipes = try MessagePipes()
        process = try StartedProcess(
            // The browser's temporary files would outlive it in the shared directory.
            "env",
            [
                "TMPDIR=\(profile.path)", "chromium", "--user-data-dir=\(profile.path)", "--headless",
                "--remote-debugging-pipe", "--disable-gpu",
                "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--disable-extensions", "--force-color-profile=srgb",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                // The sandbox doesn't work for root, which tests are in containers.
                geteuid() == 0 ? "--no-sandbox" : "--enable-features=", "about:blank",
            ], descriptors: pipes.childEnds)
        pipes.closeChildEnds()
        try BlockingThread.start { [self, pipes] in
            pipes.receive { receive($0) }
            end()
        }
    }

    /// Ends the browser.
    ///
    /// A test calls it at its end, because the listening thread keeps the browser alive. Returns when all its processes
    /// have stopped writing to the profile.
    func close() async {
        process.kill(SIGKILL)
        _ = await process.wait()
    }

    func newPage(_ look: Look = .desktop) async throws -> Page {
        let target = try await call("Target.createTarget", ["url": "about:blank"])["targetId"] ?? .null
        let answer = try await call("Target.attachToTarget", ["targetId": target, "flatten": true])
        guard let session = answer["sessionId"]?.string else { throw BrowserFailure("no session") }
        let page = Page(self, session: session)
        for domain in ["Page", "Runtime", "Network", "Log"] { try await page.call("\(domain).enable") }
        try await page.adopt(look)
        return page
    }

    @discardableResult
    func call(_ method: String, _ parameters: JSONValue = [:], session: String? = nil) async throws -> JSONValue {
        let result = await withCheckedContinuation { continuation in
            let id = state.withLock { state -> Int? in
                guard !state.isGone else { return nil }
                state.lastID += 1
                state.waiting[state.lastID] = continuation
                return state.lastID
            }
            guard let id else { return continuation.resume(returning: .failure(Self.gone)) }
            var members: [(String, JSONValue)] = [
                ("id", .integer(id)), ("method", .string(method)), ("params", parameters),
            ]
            if let session { members.append(("sessionId", .string(session))) }
            do {
                try pipes.send(JSONValue.object(members).text())
            } catch {
                end()
            }
        }
        return try result.get()
    }

    /// The events of a page so far, in order.
    func events(_ method: String, of session: String) -> [JSONValue] {
        state.withLock { $0.events[session] ?? [] }.filter { $0["method"]?.string == method }.compactMap {
            $0["params"]
        }
    }

    func forgetEvents(of session: String) { state.withLock { $0.events[session] = [] } }

    private func receive(_ bytes: [UInt8]) {
        do {
            let message = try JSONValue.parse(bytes)
            guard let id = message["id"]?.int else {
                let session = message["sessionId"]?.string ?? ""
                return state.withLock { $0.events[session, default: []].append(message) }
            }
            let continuation = state.withLock { $0.waiting.removeValue(forKey: id) }
            if let error = message["error"] {
                continuation?.resume(returning: .failure(BrowserFailure(error.text())))
            } else {
                continuation?.resume(returning: .success(message["result"] ?? .null))
            }
        } catch {
            end()
        }
    }

    private func end() {
        let waiting = state.withLock { state in
            state.isGone = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(returning: .failure(Self.gone)) }
    }

    private static let gone = BrowserFailure("chromium is gone")
}

struct BrowserFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A screen with the preferences of its owner.
struct Look: Hashable, CustomTestStringConvertible {
    var width: Int
    var height: Int
    var isPhone = false
    var isDark = false
    var reducesMotion = false

    static let desktop = Look(width: 1280, height: 800)
    static let phone = Look(width: 390, height: 844, isPhone: true)
    static let all = [desktop, desktop.dark, phone, phone.dark]

    var dark: Look {
        var look = self
        look.isDark = true
        return look
    }

    var testDescription: String { "\(isPhone ? "phone" : "desktop")-\(isDark ? "dark" : "light")" }
}
