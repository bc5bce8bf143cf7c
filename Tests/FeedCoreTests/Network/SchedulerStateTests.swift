import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Scheduler state")
struct SchedulerStateTests {
    /// A queue with the images that it has started.
    private struct Play {
        var queue: SchedulerState
        private(set) var inFlight: [Int: SchedulerState.Start] = [:]

        /// Makes a queue with one image per letter, which names its host.
        init(_ hosts: String, jobs: Int, perHost: Int?) throws {
            let urls = try hosts.enumerated().map { try Samples.url("http://\($1).example/\($0)") }
            self.init(urls, jobs: jobs, perHost: perHost)
        }

        init(_ urls: [ResourceURL], jobs: Int = 20, perHost: Int? = 1) {
            queue = SchedulerState(jobs: jobs, concurrency: HostConcurrency(fixedLimit: perHost))
            queue.add(urls, from: 0)
        }

        mutating func startAll() -> [Int] {
            var started: [Int] = []
            while let start = queue.nextImage() {
                inFlight[start.number] = start
                started.append(start.number)
            }
            return started
        }

        mutating func end(_ image: Int, _ signal: HostConcurrency.Signal = .nothing) throws {
            queue.release(try take(image).slot, signal)
        }

        mutating func pause(
            _ image: Int, until second: Int64, reservingSlot reservesSlot: Bool,
            _ signal: HostConcurrency.Signal = .nothing
        ) throws {
            queue.pause(try take(image), until: Self.second(second), reservingSlot: reservesSlot, signal)
        }

        mutating func move(_ image: Int, to origin: String) throws { queue.move(try take(image), to: origin, .nothing) }

        mutating func wake(by second: Int64) { queue.wake(by: Self.second(second)) }

        private mutating func take(_ image: Int) throws -> SchedulerState.Start {
            let start = inFlight.removeValue(forKey: image)
            return try #require(start)
        }

        static func second(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }
    }

    @Test("At most the number of jobs is in flight, and each image that ends starts another")
    func jobs() throws {
        var play = try Play("abcde", jobs: 3, perHost: 9)
        #expect(play.startAll() == [0, 1, 2])
        try play.end(1)
        #expect(play.startAll() == [3])
        try play.end(0)
        try play.end(2)
        #expect(play.startAll() == [4])
    }

    @Test("At most the limit of a host is in flight to it, and other hosts pass a busy host")
    func perHost() throws {
        var play = try Play("aaaabb", jobs: 16, perHost: 2)
        #expect(Set(play.startAll()) == [0, 1, 4, 5])
        try play.end(4)
        #expect(play.startAll() == [])
        try play.end(0)
        #expect(play.startAll() == [2])
    }

    @Test("Hosts take turns, so that the first host does not take all jobs")
    func inTurn() throws {
        var play = try Play("aaaabb", jobs: 4, perHost: 9)
        #expect(Set(play.startAll()) == [0, 1, 4, 5])
    }

    @Test("The next image starts at the host where one has ended, while more hosts than jobs have images")
    func stays() throws {
        var play = try Play("aabbccdd", jobs: 2, perHost: 6)
        #expect(play.startAll() == [0, 2])
        for (ended, next) in [(0, 1), (2, 3), (1, 4), (4, 5), (3, 6), (5, 7)] {
            try play.end(ended)
            #expect(play.startAll() == [next])
        }
    }

    @Test("A host with more than its part of the jobs gives way to a host that is added later")
    func givesWay() throws {
        var play = try Play("aaaaaaaa", jobs: 4, perHost: 6)
        #expect(play.startAll() == [0, 1, 2, 3])
        let later = try (0..<4).map { try Samples.url("http://b.example/\($0)") }
        play.queue.add(later, from: 8)
        for image in 0...3 {
            try play.end(image)
            _ = play.startAll()
        }
        #expect(play.inFlight.keys.sorted() == [4, 5, 8, 9])
    }

    @Test("Scheme, port and name in any case identify a host")
    func hosts() throws {
        var play = Play(try ["http://a/", "http://A:80/", "https://a/", "http://a:81/"].map(Samples.url))
        #expect(play.startAll() == [0, 2, 3])
        try play.end(0)
        #expect(play.startAll() == [1])
    }

    @Test("A URL that begins like another one belongs to its own host")
    func alike() throws {
        let urls = try [
            "http://a/1", "http://a/2", "http://ab/1", "http://a:80/3", "http://a", "http://a:8080", "http://a:8080?b",
            "https://a/1", "file:///a/1", "file:///b/1",
        ].map(Samples.url)
        var play = Play(urls)
        #expect(Set(play.startAll()) == [0, 2, 5, 7, 8])
    }

    @Test("Every image ends once, whatever each image does before", arguments: UInt64(0)..<20)
    func complete(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let names = (0..<200).map { _ in "abcdefgh".randomElement(using: &random) ?? "a" }
        var play = try Play(String(names), jobs: 7, perHost: 3)
        var tries = [Int](repeating: 0, count: 200)
        var ended: [Int] = []
        var moved: Set<Int> = []
        for second in 0..<10_000 where ended.count < 200 {
            _ = play.startAll()
            let inFlight = play.inFlight.keys.sorted()
            #expect(inFlight.count <= 7)
            let atHome = inFlight.filter { !moved.contains($0) }
            #expect(Dictionary(grouping: atHome) { names[$0] }.values.allSatisfy { $0.count <= 3 })
            if let image = inFlight.randomElement(using: &random) {
                tries[image] += 1
                switch Int.random(in: tries[image]..<(tries[image] + 6), using: &random) {
                case 1: try play.pause(image, until: Int64(second + 3), reservingSlot: true)
                case 2: try play.pause(image, until: Int64(second + 2), reservingSlot: false)
                case 3:
                    try play.move(image, to: "http://z.example:80")
                    moved.insert(image)
                default:
                    try play.end(image)
                    ended.append(image)
                }
            }
            play.wake(by: Int64(second))
        }
        #expect(ended.sorted() == Array(0..<200))
    }

    @Test("Images that are added later wait while their host is at its limit")
    func later() throws {
        var play = try Play("aab", jobs: 9, perHost: 2)
        #expect(play.startAll() == [0, 2, 1])
        play.queue.add(try ["a/3", "b/4", "c/5"].map { try Samples.url("http://\($0.prefix(1)).example/") }, from: 3)
        #expect(play.startAll() == [4, 5])
        try play.end(1)
        #expect(play.startAll() == [3])
    }

    @Test("Images of a held host wait until the hold ends")
    func held() throws {
        var play = try Play("aab", jobs: 9, perHost: 2)
        play.queue.hold("http://a.example:80", until: Play.second(5))
        #expect(play.startAll() == [2])
        play.queue.hold("http://a.example:80", until: Play.second(9))
        play.wake(by: 5)
        #expect(play.startAll() == [])
        #expect(play.queue.nextDue == Play.second(9))
        play.wake(by: 9)
        #expect(play.startAll() == [0, 1])
        play.queue.hold("http://a.example:80", until: Play.second(20))
        play.queue.add([try Samples.url("http://a.example/3")], from: 3)
        try play.end(0)
        #expect(play.startAll() == [])
        play.queue.hold("http://a.example:80", until: nil)
        #expect(play.startAll() == [3])
    }

    @Test("A paused image lets another host start, and continues when a job is free again")
    func resting() throws {
        var play = try Play("aab", jobs: 1, perHost: 1)
        #expect(play.startAll() == [0])
        try play.pause(0, until: 1, reservingSlot: true)
        // The image is of the other host, because the first host has to wait.
        #expect(play.startAll() == [2])
        play.wake(by: 1)
        #expect(play.startAll() == [])
        try play.end(2)
        #expect(play.startAll() == [0])
        try play.end(0)
        #expect(play.startAll() == [1])
    }

    @Test("A paused image without a reserved slot lets its host start another, and is next there")
    func restingAlone() throws {
        var play = try Play("aaab", jobs: 2, perHost: 1)
        #expect(play.startAll() == [0, 3])
        try play.pause(0, until: 1, reservingSlot: false)
        #expect(play.startAll() == [1])
        play.wake(by: 1)
        try play.end(1)
        #expect(play.startAll() == [0])
    }

    @Test("All images may start at once when the waits are ended")
    func endOfWaits() throws {
        var play = try Play("ab", jobs: 2, perHost: 1)
        #expect(play.startAll() == [0, 1])
        try play.pause(0, until: 100, reservingSlot: true)
        try play.end(1)
        play.queue.hold("http://b.example:80", until: Play.second(100))
        play.queue.add([try Samples.url("http://b.example/2")], from: 2)
        play.queue.wake(by: nil)
        #expect(Set(play.startAll()) == [0, 2])
        #expect(play.queue.nextDue == nil)
    }

    @Test("Requests precede the images of their host, in the order of their arrival")
    func requests() throws {
        var play = try Play("aaa", jobs: 2, perHost: 1)
        #expect(play.startAll() == [0])
        for id in 1...3 { play.queue.add(request: id, at: "http://a.example:80") }
        #expect(play.queue.nextRequest() == nil)
        play.queue.remove(request: 1)
        try play.end(0)
        let next = play.queue.nextRequest()
        let started = try #require(next)
        #expect(started.id == 2)
        #expect(play.startAll() == [])
        play.queue.release(started.slot, .nothing)
        #expect(play.queue.nextRequest()?.id == 3)
    }

    @Test("A host has six slots, and up to a hundred over HTTP/2, while other hosts keep theirs")
    func auto() throws {
        let names = String(repeating: "a", count: 300) + String(repeating: "b", count: 30)
        var play = try Play(names, jobs: 128, perHost: nil)
        #expect(play.startAll().count == 12)
        for _ in 0..<120 {
            let image = play.inFlight.keys.filter { $0 < 300 }.min()
            try play.end(try #require(image), .answered(isMultiplexed: true))
            _ = play.startAll()
        }
        #expect(play.inFlight.keys.count { $0 < 300 } == 100)
        #expect(play.inFlight.keys.count { $0 >= 300 } == 6)
    }

    @Test("The slots of a busy host are halved, and paused images keep theirs")
    func busy() throws {
        var play = try Play("aaaaaaaaaaaa", jobs: 128, perHost: nil)
        #expect(play.startAll() == [0, 1, 2, 3, 4, 5])
        // The requests started together, so that the limit is halved once.
        for image in 0...3 { try play.pause(image, until: 1, reservingSlot: true, .busy) }
        #expect(play.startAll() == [])
        try play.end(4, .answered(isMultiplexed: false))
        try play.end(5, .answered(isMultiplexed: false))
        #expect(play.startAll() == [])
        play.wake(by: 1)
        #expect(play.startAll().count == 3)
    }

    @Test("The reserved slot of a paused feed stays closed to other requests of its host")
    func slotOfARequest() throws {
        var play = try Play("ab", jobs: 2, perHost: 1)
        for id in 1...2 { play.queue.add(request: id, at: "http://a.example:80") }
        let first = play.queue.nextRequest()
        play.queue.release(try #require(first).slot, reservedUntil: Play.second(1), .busy)
        #expect(play.queue.nextRequest() == nil)
        #expect(play.startAll() == [1])
        play.wake(by: 1)
        #expect(play.queue.nextRequest()?.id == 2)
    }

    @Test("An empty queue starts nothing")
    func empty() {
        var play = Play([])
        #expect(play.startAll() == [])
    }
}
