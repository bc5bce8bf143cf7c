import FeedCore
import TestDoubles
import TestSupport
import Testing

@Suite("Which lane starts which image")
struct LaneScheduleTests {
    private typealias Schedule = LaneSchedule<Int>

    /// Images of as many hosts.
    private func schedule(_ images: Int, jobs: Int) throws -> Schedule {
        var schedule = Schedule(DownloadQueue(jobs: jobs, perHost: jobs))
        let urls = try (0..<images).map { try Samples.url("https://host\($0).example/image.png") }
        #expect(schedule.add(urls).isEmpty)
        return schedule
    }

    @Test("A lane waits when as many images as may be are in flight, and those who wait are told of the end")
    func end() throws {
        var schedule = try schedule(2, jobs: 1)
        #expect(schedule.next(for: .regular).step == .start(image: 0))
        #expect(schedule.next(for: .regular).step == .wait)
        #expect(schedule.wait(7, as: .regular) == [])
        #expect(schedule.complete() == [7])
        #expect(schedule.next(for: .regular).step == .wait)
        #expect(schedule.wait(7, as: .regular) == [])
        #expect(schedule.ended(0, for: .regular) == [])
        let last = schedule.next(for: .regular)
        #expect(last.step == .start(image: 1))
        #expect(last.goOn == [7])
        #expect(schedule.next(for: .regular).step == .end)
        #expect(schedule.left == 1)
    }

    @Test("A lane that was to wait goes on if there is something by now")
    func lateWaiter() throws {
        var schedule = try schedule(2, jobs: 1)
        #expect(schedule.next(for: .regular).step == .start(image: 0))
        #expect(schedule.next(for: .regular).step == .wait)
        #expect(schedule.ended(0, for: .regular) == [])
        #expect(schedule.wait(7, as: .regular) == [7])
    }

    @Test("While an image pauses a stand-in starts another, and no stand-in does without one")
    func standIn() throws {
        var schedule = try schedule(3, jobs: 1)
        #expect(schedule.next(for: .standIn).step == .wait)
        #expect(schedule.next(for: .regular).step == .start(image: 0))
        #expect(schedule.wait(9, as: .standIn) == [])
        #expect(schedule.pause(0, leavingHost: false) == [9])
        #expect(schedule.next(for: .standIn).step == .start(image: 1))
        // The pause is over, but the place is taken.
        #expect(schedule.resume(5, with: 0, thatLeftHost: false) == [])
        #expect(schedule.ended(1, for: .standIn) == [5])
        #expect(schedule.next(for: .standIn).step == .wait)
        #expect(schedule.wait(9, as: .standIn) == [])
        #expect(schedule.ended(0, for: .regular) == [])
        #expect(schedule.next(for: .regular).step == .start(image: 2))
    }

    @Test("A place that a stand-in may not take goes to a regular lane that found nothing before")
    func placeForRegular() throws {
        var schedule = try schedule(4, jobs: 2)
        #expect(schedule.next(for: .regular).step == .start(image: 0))
        #expect(schedule.next(for: .regular).step == .start(image: 1))
        #expect(schedule.pause(0, leavingHost: false) == [])
        #expect(schedule.next(for: .standIn).step == .start(image: 2))
        #expect(schedule.wait(1, as: .regular) == [])
        // The first goes on in the place of the second, and the stand-in's image ends.
        #expect(schedule.ended(1, for: .regular) == [])
        #expect(schedule.resume(0, with: 0, thatLeftHost: false) == [0])
        #expect(schedule.ended(2, for: .standIn) == [])
        #expect(schedule.next(for: .standIn).step == .wait)
        #expect(schedule.wait(9, as: .standIn) == [1])
        #expect(schedule.next(for: .regular).step == .start(image: 3))
    }

    @Test("An image that waits for its next try is still to come")
    func left() throws {
        var schedule = try schedule(2, jobs: 1)
        #expect(schedule.left == nil)
        #expect(schedule.complete() == [])
        #expect(schedule.next(for: .regular).step == .start(image: 0))
        #expect(schedule.pause(0, leavingHost: false) == [])
        #expect(schedule.left == 2)
        #expect(schedule.resume(5, with: 0, thatLeftHost: false) == [5])
        #expect(schedule.left == 2)
        #expect(schedule.ended(0, for: .regular) == [])
        #expect(schedule.left == 1)
    }

    @Test("Stopped, it starts nothing more")
    func stop() throws {
        var schedule = try schedule(2, jobs: 1)
        #expect(schedule.next(for: .regular).step == .start(image: 0))
        #expect(schedule.wait(1, as: .regular) == [])
        #expect(schedule.stop() == [1])
        #expect(schedule.next(for: .regular).step == .end)
        #expect(schedule.ended(0, for: .regular) == [])
        #expect(schedule.wait(0, as: .regular) == [0])
    }

    /// Whatever comes in which order: every image is started once, and no lane waits that could start one.
    @Test("Every lane ends with every image had", arguments: UInt64(0)..<500)
    func everyStory(seed: UInt64) throws {
        var story = LaneStory(seed: seed)
        try story.play()
        #expect(story.started.sorted() == Array(0..<story.added))
        #expect(story.lanes.allSatisfy { $0 == .ended })
    }
}

/// Lanes without threads: what each does next is drawn by lot.
private struct LaneStory {
    enum Lane: Equatable {
        case looks
        case isToWait
        case waits
        case has(Int)
        case pauses(Int, leftHost: Bool)
        case waitsToResume(Int)
        case ended

        var waitsForOthers: Bool {
            switch self {
            case .waits, .waitsToResume: true
            default: false
            }
        }
    }

    private var random: SeededGenerator
    private var schedule: LaneSchedule<Int>
    private let regular: Int
    private(set) var lanes: [Lane]
    private(set) var started: [Int] = []
    private(set) var added = 0
    private var origins: [String] = []
    private let perHost: Int
    private var toAdd: Int
    private var isComplete = false

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        regular = Int.random(in: 1...4, using: &random)
        lanes = Array(repeating: .looks, count: regular + Int.random(in: 0...4, using: &random))
        perHost = Int.random(in: 1...3, using: &random)
        schedule = LaneSchedule(DownloadQueue(jobs: regular, perHost: perHost))
        toAdd = Int.random(in: 0...12, using: &random)
    }

    mutating func play() throws {
        var steps = 0
        while lanes.contains(where: { $0 != .ended }) || !isComplete {
            steps += 1
            let able = lanes.indices.filter { lanes[$0] != .ended && !lanes[$0].waitsForOthers }
            let choices = able.count + (isComplete ? 0 : 1)
            try #require(choices > 0 && steps < 10_000, "lanes wait for ever: \(lanes)")
            try requireLimits()
            let choice = Int.random(in: 0..<choices, using: &random)
            if choice < able.count { move(able[choice]) } else { try feed() }
        }
    }

    private func requireLimits() throws {
        let inFlight = lanes.compactMap { if case .has(let image) = $0 { origins[image] } else { nil } }
        try #require(inFlight.count <= regular)
        for origin in Set(inFlight) { try #require(inFlight.count { $0 == origin } <= perHost) }
    }

    private mutating func feed() throws {
        if toAdd == 0 {
            isComplete = true
            return goOn(schedule.complete())
        }
        let count = Int.random(in: 1...toAdd, using: &random)
        let urls = try (added..<added + count).map { number in
            try Samples.url("https://host\(Int.random(in: 0..<3, using: &random)).example/\(number).png")
        }
        toAdd -= count
        added += count
        origins += urls.map(\.origin)
        goOn(schedule.add(urls))
    }

    private mutating func move(_ lane: Int) {
        let role: LaneRole = lane < regular ? .regular : .standIn
        switch lanes[lane] {
        case .looks:
            let (step, others) = schedule.next(for: role)
            switch step {
            case .start(let image):
                started.append(image)
                lanes[lane] = .has(image)
            case .wait: lanes[lane] = .isToWait
            case .end: lanes[lane] = .ended
            }
            goOn(others)
        case .isToWait:
            lanes[lane] = .waits
            goOn(schedule.wait(lane, as: role))
        case .has(let image):
            if Int.random(in: 0..<3, using: &random) == 0 {
                let leavesHost = Bool.random(using: &random)
                lanes[lane] = .pauses(image, leftHost: leavesHost)
                goOn(schedule.pause(image, leavingHost: leavesHost))
            } else {
                lanes[lane] = .looks
                goOn(schedule.ended(image, for: role))
            }
        case .pauses(let image, let leftHost):
            lanes[lane] = .waitsToResume(image)
            goOn(schedule.resume(lane, with: image, thatLeftHost: leftHost))
        case .waits, .waitsToResume, .ended: Issue.record("lane \(lane) can't move")
        }
    }

    private mutating func goOn(_ others: [Int]) {
        for lane in others {
            switch lanes[lane] {
            case .waits: lanes[lane] = .looks
            case .waitsToResume(let image): lanes[lane] = .has(image)
            default: Issue.record("lane \(lane) was not waiting: \(lanes[lane])")
            }
        }
    }
}
