import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Download queue")
struct DownloadQueueTests {
    /// One letter an image: the name of its host.
    private func queue(_ hosts: String, jobs: Int, perHost: Int) throws -> DownloadQueue {
        let urls = try hosts.enumerated().map { try Samples.url("http://\($1).example/\($0)") }
        return queue(urls, jobs: jobs, perHost: perHost)
    }

    private func queue(_ urls: [ResourceURL], jobs: Int = 20, perHost: Int = 1) -> DownloadQueue {
        var queue = DownloadQueue(jobs: jobs, perHost: perHost)
        queue.add(urls)
        return queue
    }

    private func startAll(_ queue: inout DownloadQueue) -> [Int] {
        var started: [Int] = []
        while let image = queue.next() { started.append(image) }
        return started
    }

    @Test("starts no more than the jobs at once, and another for each that ends")
    func jobs() throws {
        var queue = try queue("abcde", jobs: 3, perHost: 9)
        #expect(startAll(&queue) == [0, 1, 2])
        queue.finished(1)
        #expect(startAll(&queue) == [3])
        queue.finished(0)
        queue.finished(2)
        #expect(startAll(&queue) == [4])
    }

    @Test("starts no more than the limit to one host, and lets other hosts pass the busy one")
    func perHost() throws {
        var queue = try queue("aaaabb", jobs: 16, perHost: 2)
        #expect(Set(startAll(&queue)) == [0, 1, 4, 5])
        queue.finished(4)
        #expect(startAll(&queue) == [])
        queue.finished(0)
        #expect(startAll(&queue) == [2])
    }

    @Test("takes hosts in turn, so that the first of them does not have all the jobs")
    func inTurn() throws {
        var queue = try queue("aaaabb", jobs: 4, perHost: 9)
        #expect(Set(startAll(&queue)) == [0, 1, 4, 5])
    }

    @Test("scheme, name and port make a host, in whatever case the name stands")
    func hosts() throws {
        let urls = try ["http://a/", "http://A:80/", "https://a/", "http://a:81/"].map(Samples.url)
        var queue = queue(urls)
        #expect(startAll(&queue) == [0, 2, 3])
        queue.finished(0)
        #expect(startAll(&queue) == [1])
    }

    @Test("one that begins like another is another host")
    func alike() throws {
        let urls = try [
            "http://a/1", "http://a/2", "http://ab/1", "http://a:80/3", "http://a", "http://a:8080", "http://a:8080?b",
            "https://a/1", "file:///a/1", "file:///b/1",
        ].map(Samples.url)
        var queue = queue(urls)
        #expect(Set(startAll(&queue)) == [0, 2, 5, 7, 8])
    }

    @Test("has every image start once, whatever the order in which they end", arguments: 0..<20)
    func complete(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let hosts = String((0..<200).map { _ in "abcdefgh".randomElement(using: &random) ?? "a" })
        var queue = try queue(hosts, jobs: 7, perHost: 3)
        let names = Array(hosts)
        var inFlight: [Int] = []
        var started: [Int] = []
        repeat {
            while let image = queue.next() {
                inFlight.append(image)
                started.append(image)
            }
            #expect(inFlight.count <= 7)
            #expect(Dictionary(grouping: inFlight) { names[$0] }.values.allSatisfy { $0.count <= 3 })
            if !inFlight.isEmpty { queue.finished(inFlight.remove(at: .random(in: inFlight.indices, using: &random))) }
        } while !inFlight.isEmpty
        #expect(started.sorted() == Array(0..<200))
    }

    @Test("has what is added later wait behind what its host has in flight")
    func later() throws {
        var queue = try queue("aab", jobs: 9, perHost: 2)
        #expect(startAll(&queue) == [0, 2, 1])
        queue.add(try ["http://a.example/3", "http://b.example/4", "http://c.example/5"].map(Samples.url))
        #expect(startAll(&queue) == [4, 5])
        queue.finished(1)
        #expect(startAll(&queue) == [3])
        queue.finished(0)
        queue.add([try Samples.url("http://a.example/6")])
        #expect(startAll(&queue) == [6])
        #expect(!queue.hasNext)
    }

    @Test("starts nothing of a host that is held before it is released")
    func held() throws {
        var queue = DownloadQueue(jobs: 9, perHost: 2, holding: ["http://a.example:80", "http://c.example:80"])
        queue.add(try ["http://a.example/0", "http://b.example/1", "http://a.example/2"].map(Samples.url))
        #expect(startAll(&queue) == [1])
        queue.release("http://a.example:80")
        queue.release("http://a.example:80")
        #expect(startAll(&queue) == [0, 2])
        queue.add([try Samples.url("http://c.example/3")])
        #expect(startAll(&queue) == [])
        #expect(queue.hasWaiting)
        queue.releaseAll()
        #expect(startAll(&queue) == [3])
        #expect(!queue.hasWaiting)
    }

    @Test("starts another for one that waits for its next try, which goes on when there is room again")
    func pausing() throws {
        var queue = try queue("abc", jobs: 1, perHost: 1)
        #expect(startAll(&queue) == [0])
        queue.pause(0, leavingHost: false)
        #expect(startAll(&queue) == [1])
        #expect(!queue.mayResume(0, thatLeftHost: false))
        queue.finished(1)
        #expect(queue.mayResume(0, thatLeftHost: false))
        queue.resume(0, thatLeftHost: false)
        #expect(startAll(&queue) == [])
        queue.finished(0)
        #expect(startAll(&queue) == [2])
    }

    @Test("starts another of its host for one that leaves its place there, to which it comes back when that is free")
    func leavingHost() throws {
        var queue = try queue("aaab", jobs: 2, perHost: 1)
        #expect(startAll(&queue) == [0, 3])
        queue.pause(0, leavingHost: true)
        #expect(startAll(&queue) == [1])
        queue.finished(3)
        #expect(queue.mayResume(0, thatLeftHost: false))
        #expect(!queue.mayResume(0, thatLeftHost: true))
        queue.finished(1)
        #expect(queue.mayResume(0, thatLeftHost: true))
        queue.resume(0, thatLeftHost: true)
        // It has the turn that the third had by then.
        #expect(startAll(&queue) == [])
        queue.finished(0)
        #expect(startAll(&queue) == [2])
    }

    @Test("of nothing starts nothing")
    func empty() {
        var queue = queue([])
        #expect(queue.next() == nil)
    }
}
