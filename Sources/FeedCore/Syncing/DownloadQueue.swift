/// Says which image may start next, so that no more than `jobs` are in flight and no more than `perHost` of them to one
/// host, and no busy host makes the others wait. A pure state machine: it starts nothing itself.
///
/// A host can be held: then nothing of it starts before it is released.
package struct DownloadQueue {
    private struct Host {
        var waiting: [Int] = []
        var next = 0
        var inFlight = 0
        var isHeld = false
        var hasWaiting: Bool { next < waiting.count }

        func mayStart(_ perHost: Int) -> Bool { hasWaiting && !isHeld && inFlight < perHost }
    }

    private var hosts: [Host] = []
    private var hostNumbers: [String: Int] = [:]
    private var hostOf: [Int] = []
    /// Hosts that have something waiting and a place for it, in turn.
    private var ready: [Int] = []
    private var readyHead = 0
    private var inFlight = 0
    private var waiting = 0
    private let jobs: Int
    private let perHost: Int

    package init(jobs: Int, perHost: Int, holding origins: some Sequence<String> = []) {
        self.jobs = max(1, jobs)
        self.perHost = max(1, perHost)
        for origin in origins where hostNumbers.number(of: origin) == hosts.count { hosts.append(Host(isHeld: true)) }
    }

    /// Images are numbered from 0 on, in the order in which they are added.
    package mutating func add(_ urls: [ResourceURL]) {
        for index in urls.indices {
            // Mostly it is the host of the one before, which is seen at once.
            let isAlike = index > 0 && urls[index].hasSameBeginning(as: urls[index - 1])
            let host = isAlike ? hostOf[hostOf.count - 1] : hostNumbers.number(of: urls[index].origin)
            if host == hosts.count { hosts.append(Host()) }
            let wasReady = hosts[host].mayStart(perHost)
            hosts[host].waiting.append(hostOf.count)
            if !wasReady, hosts[host].mayStart(perHost) { ready.append(host) }
            hostOf.append(host)
        }
        waiting += urls.count
    }

    package mutating func release(_ origin: String) {
        if let host = hostNumbers[origin] { release(host) }
    }

    package mutating func releaseAll() {
        for host in hosts.indices { release(host) }
    }

    private mutating func release(_ host: Int) {
        guard hosts[host].isHeld else { return }
        hosts[host].isHeld = false
        if hosts[host].mayStart(perHost) { ready.append(host) }
    }

    package var hasWaiting: Bool { waiting > 0 }

    /// How many wait to be started, or are in flight; those that pause are neither.
    package var unfinished: Int { waiting + inFlight }

    /// Whether `next` would give one.
    package var hasNext: Bool { inFlight < jobs && readyHead < ready.count }

    /// The index of the image to start, which counts as in flight from now on; nil if none may start now.
    package mutating func next() -> Int? {
        guard hasNext else { return nil }
        let host = ready[readyHead]
        readyHead += 1
        let image = hosts[host].waiting[hosts[host].next]
        hosts[host].next += 1
        hosts[host].inFlight += 1
        inFlight += 1
        waiting -= 1
        if hosts[host].mayStart(perHost) { ready.append(host) }
        dropTakenTurns()
        return image
    }

    package mutating func finished(_ image: Int) {
        inFlight -= 1
        leave(hostOf[image])
    }

    /// One in flight waits for its next try: another may be in flight for it, though not to its host, unless it leaves
    /// its place there.
    package mutating func pause(_ image: Int, leavingHost: Bool) {
        inFlight -= 1
        if leavingHost { leave(hostOf[image]) }
    }

    /// Whether one that waited may be in flight again; at its host, too, if it left its place there.
    package func mayResume(_ image: Int, thatLeftHost leftHost: Bool) -> Bool {
        inFlight < jobs && (!leftHost || hosts[hostOf[image]].inFlight < perHost)
    }

    package mutating func resume(_ image: Int, thatLeftHost leftHost: Bool) {
        inFlight += 1
        guard leftHost else { return }
        let host = hostOf[image]
        hosts[host].inFlight += 1
        // What might have started in its place has to wait.
        if hosts[host].inFlight == perHost, let turn = ready[readyHead...].firstIndex(of: host) {
            ready.remove(at: turn)
        }
    }

    private mutating func leave(_ host: Int) {
        let wasFull = hosts[host].inFlight == perHost
        hosts[host].inFlight -= 1
        if wasFull, hosts[host].mayStart(perHost) { ready.append(host) }
    }

    private mutating func dropTakenTurns() {
        guard readyHead > 256, readyHead * 2 > ready.count else { return }
        ready.removeFirst(readyHead)
        readyHead = 0
    }
}
