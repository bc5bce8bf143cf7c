import Synchronization

/// Where the lanes of one run take their images from, and wait for them.
final class DownloadLanes: Sendable {
    private typealias Lane = CheckedContinuation<Void, Never>

    private struct State {
        var schedule: LaneSchedule<Lane>
        var images: [ImageDownloads.Wanted] = []
    }

    private let state: Mutex<State>

    init(_ queue: DownloadQueue) { state = Mutex(State(schedule: LaneSchedule(queue))) }

    /// How many there are now. Some at a time: lanes that are at work look in meanwhile.
    func add(_ images: [ImageDownloads.Wanted]) -> Int {
        for some in images.parts(of: 100) {
            change { state in
                state.images += some
                return state.schedule.add(some.map(\.url))
            }
        }
        return state.withLock { $0.images.count }
    }

    /// In the order in which the images came, whichever of them were done first.
    func inOrder(_ failures: [ImagesReport.Failure]) -> [ImagesReport.Failure] {
        guard failures.count > 1 else { return failures }
        let failed = Set(failures.map(\.url.key))
        let images = state.withLock { $0.images }
        var places: [ResourceURL.Key: Int] = [:]
        for (place, image) in images.enumerated() where failed.contains(image.url.key) { places[image.url.key] = place }
        return failures.sorted { places[$0.url.key] ?? 0 < places[$1.url.key] ?? 0 }
    }

    /// Images at this origin need to wait no longer.
    func release(_ origin: String) { change { $0.schedule.release(origin) } }

    func releaseAll() { change { $0.schedule.releaseAll() } }

    /// No more will come; lanes end when all have started.
    func complete() { change { $0.schedule.complete() } }

    /// Lanes end, whatever is left.
    func stop() { change { $0.schedule.stop() } }

    /// How many are still to come, nil where nobody knows yet.
    var left: Int? { state.withLock { $0.schedule.left } }

    /// Waits while no image may start, as long as there may be one.
    func next(for role: LaneRole) async -> (number: Int, image: ImageDownloads.Wanted)? {
        while true {
            let (step, image, others) = state.withLock { state in
                let (step, others) = state.schedule.next(for: role)
                return (step, step.image.map { ($0, state.images[$0]) }, others)
            }
            for lane in others { lane.resume() }
            switch step {
            case .start: return image
            case .end: return nil
            case .wait: await wait { $0.wait($1, as: role) }
            }
        }
    }

    /// It is no longer in flight.
    func ended(_ image: Int, for role: LaneRole) { change { $0.schedule.ended(image, for: role) } }

    /// Runs `sleep`, in which an image that is in flight waits for its next try.
    func pausing(_ image: Int, _ pause: RequestPause, _ sleep: () async throws -> Void) async throws {
        let leavesHost = pause == .ofRequest
        change { $0.schedule.pause(image, leavingHost: leavesHost) }
        let result = await Result(awaiting: sleep)
        await wait { $0.resume($1, with: image, thatLeftHost: leavesHost) }
        try result.get()
    }

    private func wait(_ join: (inout LaneSchedule<Lane>, Lane) -> [Lane]) async {
        await withCheckedContinuation { lane in change { join(&$0.schedule, lane) } }
    }

    private func change(_ work: (inout State) -> [Lane]) {
        let others = state.withLock { work(&$0) }
        for lane in others { lane.resume() }
    }
}
