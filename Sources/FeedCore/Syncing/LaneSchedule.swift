/// There are as many regular lanes as images may be in flight. Each is bound to a thread, and these have their share of the
/// work by them: a stand-in starts nothing as long as a regular lane may.
package enum LaneRole: CaseIterable, Sendable { case regular, standIn }

/// Says which lane starts which image, and which lanes are to look again at what there is to do. A pure state machine: it
/// waits for nothing itself, and a `Lane` is whatever stands for one that does.
///
/// Where an image may start and a lane waits for one, some lane is always on its way to look.
package struct LaneSchedule<Lane> {
    package enum Step: Equatable {
        case start(image: Int)
        case wait
        case end

        package var image: Int? { if case .start(let image) = self { image } else { nil } }
    }

    private var queue: DownloadQueue
    /// No more will be added.
    private var isComplete = false
    private var isStopped = false
    /// Lanes that wait for an image that may start.
    private var idle: [Lane] = []
    /// Lanes that stand in for those whose image waits for its next try: so many do, of so many that are needed.
    private var standIns = 0
    private var pausing = 0
    private var idleStandIns: [Lane] = []
    /// Lanes that waited for the next try of their image, and now for their turn. They come first.
    private var resuming: [(lane: Lane, image: Int, leftHost: Bool)] = []

    package init(_ queue: DownloadQueue) { self.queue = queue }

    private var hasEnded: Bool { isStopped || isComplete && !queue.hasWaiting }

    /// How many are still to come, nil where nobody knows yet.
    package var left: Int? { isComplete ? queue.unfinished + pausing : nil }

    // MARK: What there is to do. All that wait for it look anew.

    package mutating func add(_ urls: [ResourceURL]) -> [Lane] {
        queue.add(urls)
        return takeIdle()
    }

    /// Images at this origin need to wait no longer.
    package mutating func release(_ origin: String) -> [Lane] {
        queue.release(origin)
        return takeIdle()
    }

    package mutating func releaseAll() -> [Lane] {
        queue.releaseAll()
        return takeIdle()
    }

    /// No more will come; lanes end when all have started.
    package mutating func complete() -> [Lane] {
        isComplete = true
        return releaseAll()
    }

    /// Lanes end, whatever is left.
    package mutating func stop() -> [Lane] {
        isStopped = true
        return takeIdle()
    }

    // MARK: Who does it

    package mutating func next(for role: LaneRole) -> (step: Step, goOn: [Lane]) {
        guard !isStopped, mayStart(role), let image = queue.next() else { return (hasEnded ? .end : .wait, []) }
        if role == .standIn { standIns += 1 }
        // Who waits is told of the end by who takes the last.
        return (.start(image: image), hasEnded ? takeIdle() : [])
    }

    /// A lane that was to wait does so, unless there is something by now.
    package mutating func wait(_ lane: Lane, as role: LaneRole) -> [Lane] {
        if hasEnded || mayStart(role) { return [lane] }
        switch role {
        case .regular: idle.append(lane)
        case .standIn: idleStandIns.append(lane)
        }
        // What a stand-in may not start, a regular lane may that found nothing before.
        return takeStarter()
    }

    /// An image in flight waits for its next try. Meanwhile another may be in flight for it; one of its own host only if
    /// it leaves its place there.
    package mutating func pause(_ image: Int, leavingHost: Bool) -> [Lane] {
        queue.pause(image, leavingHost: leavingHost)
        pausing += 1
        let next = takeResuming()
        return next.isEmpty ? takeStarter() : next
    }

    /// The time of its image's next try has come, and the lane waits for its turn; at the host, too, if the image left
    /// its place there.
    package mutating func resume(_ lane: Lane, with image: Int, thatLeftHost leftHost: Bool) -> [Lane] {
        resuming.append((lane, image, leftHost))
        return takeResuming()
    }

    /// It is no longer in flight, and its lane looks for another.
    package mutating func ended(_ image: Int, for role: LaneRole) -> [Lane] {
        queue.finished(image)
        if role == .standIn { standIns -= 1 }
        return takeResuming()
    }

    private func mayStart(_ role: LaneRole) -> Bool { queue.hasNext && (role == .regular || standIns < pausing) }

    private mutating func takeIdle() -> [Lane] {
        defer { (idle, idleStandIns) = ([], []) }
        return idle + idleStandIns
    }

    /// The one that may go on now.
    private mutating func takeResuming() -> [Lane] {
        for (place, (lane, image, leftHost)) in resuming.enumerated()
        where queue.mayResume(image, thatLeftHost: leftHost) {
            queue.resume(image, thatLeftHost: leftHost)
            pausing -= 1
            resuming.remove(at: place)
            return [lane]
        }
        return []
    }

    /// Where an image may start and nobody is about to look for one: who may start it. A regular lane rather than a
    /// stand-in, which may have to let it wait.
    private mutating func takeStarter() -> [Lane] {
        if mayStart(.regular), let lane = idle.popLast() { return [lane] }
        if mayStart(.standIn), let lane = idleStandIns.popLast() { return [lane] }
        return []
    }
}
