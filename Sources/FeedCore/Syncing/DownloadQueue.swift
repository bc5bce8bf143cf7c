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
    private let hostOf: [Int]
    /// Hosts that have something waiting and a place for it, in turn.
    private var ready: [Int] = []
    private var readyHead = 0
    private var inFlight = 0
    private let jobs: Int
    private let perHost: Int

    package init(_ urls: [ResourceURL], jobs: Int, perHost: Int) {
        self.jobs = max(1, jobs)
        self.perHost = max(1, perHost)
        var indexes: [String: Int] = [:]
        var hosts: [Host] = []
        var last = 0
        hostOf = urls.indices.map { index in
            // Mostly it is the host of the one before, which is seen at once.
            if index > 0, urls[index].hasSameBeginning(as: urls[index - 1]) { return last }
            last = indexes.number(of: urls[index].origin)
            if last == hosts.count { hosts.append(Host()) }
            return last
        }
        for (image, host) in hostOf.enumerated() { hosts[host].waiting.append(image) }
        self.hosts = hosts
        ready = Array(hosts.indices)
    }

    /// The index of the image to start, which counts as in flight from now on; nil if none may start now.
    package mutating func next() -> Int? {
        guard inFlight < jobs, readyHead < ready.count else { return nil }
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
