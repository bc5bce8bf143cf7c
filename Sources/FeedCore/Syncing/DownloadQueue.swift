/// Says which image may start next, so that no more than `jobs` are in flight and no more than `perHost` of them to one
/// host, and no busy host makes the others wait. A pure state machine: it starts nothing itself.
package struct DownloadQueue {
    private struct Host {
        var waiting: [Int] = []
        var next = 0
        var inFlight = 0
        var hasWaiting: Bool { next < waiting.count }
    }

    private var hosts: [Host] = []
    private var hostNumbers: [String: Int] = [:]
    private var hostOf: [Int] = []
    /// Hosts that have something waiting and a place for it, in turn.
    private var ready: [Int] = []
    private var readyHead = 0
    private var inFlight = 0
    private let jobs: Int
    private let perHost: Int

    package init(jobs: Int, perHost: Int) {
        self.jobs = max(1, jobs)
        self.perHost = max(1, perHost)
    }

    /// Images are numbered from 0 on, in the order in which they are added.
    package mutating func add(_ urls: [ResourceURL]) {
        for index in urls.indices {
            // Mostly it is the host of the one before, which is seen at once.
            let isAlike = index > 0 && urls[index].hasSameBeginning(as: urls[index - 1])
            let host = isAlike ? hostOf[hostOf.count - 1] : hostNumbers.number(of: urls[index].origin)
            if host == hosts.count { hosts.append(Host()) }
            if !hosts[host].hasWaiting, hosts[host].inFlight < perHost { ready.append(host) }
            hosts[host].waiting.append(hostOf.count)
            hostOf.append(host)
        }
    }

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
        if hosts[host].hasWaiting, hosts[host].inFlight < perHost { ready.append(host) }
        dropTakenTurns()
        return image
    }

    package mutating func finished(_ image: Int) {
        let host = hostOf[image]
        let wasFull = hosts[host].inFlight == perHost
        hosts[host].inFlight -= 1
        inFlight -= 1
        if wasFull, hosts[host].hasWaiting { ready.append(host) }
    }

    private mutating func dropTakenTurns() {
        guard readyHead > 256, readyHead * 2 > ready.count else { return }
        ready.removeFirst(readyHead)
        readyHead = 0
    }
}
