import FeedCore
import TestDoubles
import TestSupport
import Testing

/// Tests the next step of a request by the result of its last attempt.
///
/// Redirects and retries have their own tests.
@Suite("Course of a request")
struct RequestMachineTests {
    private static let cutOff = AttemptFailure(.connectivity("cut off").at(.transferring))
    private static let lasting = AttemptFailure(.connectivity("bad certificate").at(.trusting))

    private func machine(retries: Int = 2, redirects: Int = 1) throws -> RequestMachine {
        let rules = FetchRules(retry: RetryPolicy(retries: retries), maxRedirects: redirects)
        return RequestMachine(HTTPRequest(url: try Samples.url("https://a.example/"), maxBytes: 7), rules)
    }

    private func redirect(to target: String) -> HTTPResponse {
        HTTPResponse(head: HTTPHead(status: 301), redirectTarget: target)
    }

    @Test("A request waits longer before each retry, and then fails with its last failure")
    func tries() throws {
        var machine = try machine()
        #expect(machine.failed(Self.cutOff, nil, random: 0.5) == .wait(.milliseconds(250)))
        #expect(machine.failed(Self.cutOff, nil, random: 0.5) == .wait(.milliseconds(500)))
        #expect(machine.failed(Self.cutOff, nil, random: 0.5) == .failed(Self.cutOff.error))
    }

    @Test("A retry asks for a new connection only if the server was silent")
    func connectsAnew() throws {
        let silence = AttemptFailure(.connectivity("no data").at(.waiting))
        var machine = try machine(retries: 5)
        #expect(!machine.request.connectsAnew)
        _ = machine.failed(silence, nil, random: 0)
        #expect(machine.request.connectsAnew)
        _ = machine.failed(Self.cutOff, nil, random: 0)
        #expect(!machine.request.connectsAnew)
        _ = machine.failed(silence, nil, random: 0)
        #expect(machine.answered(redirect(to: "https://b.example/")) == .send)
        #expect(!machine.request.connectsAnew)
    }

    @Test("A permanent failure ends a request at once, with the response that reports it if there is one")
    func lasting() throws {
        var machine = try machine()
        #expect(machine.failed(Self.lasting, nil, random: 0.5) == .failed(Self.lasting.error))
        let answer = HTTPResponse(head: HTTPHead(status: 501))
        #expect(machine.failed(Self.lasting, answer, random: 0.5) == .done(answer))
    }

    @Test("A redirected request has all its retries again, and its response names the target")
    func redirected() throws {
        var machine = try machine()
        _ = machine.failed(Self.cutOff, nil, random: 0.5)
        #expect(machine.answered(redirect(to: "https://b.example/")) == .send)
        #expect(machine.request.url.text == "https://b.example/")
        #expect(machine.failed(Self.cutOff, nil, random: 0.5) == .wait(.milliseconds(250)))
        guard case .done(let answer) = machine.answered(HTTPResponse(head: HTTPHead(status: 200))) else {
            Issue.record("not done")
            return
        }
        #expect(answer.redirectedURL?.text == "https://b.example/")
        #expect(answer.movedTo == answer.redirectedURL)
    }

    @Test(
        "A request fails beyond its limit of redirects, and at a URL that servers may not name",
        arguments: [["https://b.example/", "https://c.example/"], ["file:///etc/passwd"], ["ftp://b.example/"]])
    func refused(targets: [String]) throws {
        var machine = try machine()
        for target in targets.dropLast() { #expect(machine.answered(redirect(to: target)) == .send) }
        guard case .failed(let error) = machine.answered(redirect(to: targets[targets.count - 1])) else {
            Issue.record("not refused")
            return
        }
        #expect(error.kind == .invalidData)
    }

    @Test("The random number does not decide whether a retry follows")
    func wouldRetry() throws {
        var machine = try machine(retries: 1)
        #expect(machine.wouldRetry(after: Self.cutOff))
        #expect(!machine.wouldRetry(after: Self.lasting))
        _ = machine.failed(Self.cutOff, nil, random: 0)
        #expect(!machine.wouldRetry(after: Self.cutOff))
    }
}
