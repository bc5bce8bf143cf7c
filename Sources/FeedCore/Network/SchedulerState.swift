/// Decides which request starts next, within `jobs` requests in flight and the limit of each host, and so that a busy
/// host leaves the other hosts their turns.
///
/// It is pure: the caller starts the requests, waits, and reads the clock.
///
/// | what waits                                 | which one starts next                                           |
/// |--------------------------------------------|-----------------------------------------------------------------|
/// | a request with a task of its own, such as  | the oldest one whose host has a free slot, before any image     |
/// | a feed's                                   |                                                                 |
/// | an image                                   | one at the host where a request has just ended, because its     |
/// |                                            | connection is open, while fewer than jobs ÷ hosts are in flight |
/// |                                            | there; otherwise one at each host in turn. Images that have     |
/// |                                            | started before come first                                       |
///
/// | what an image does         | what it holds                                                                   |
/// |----------------------------|---------------------------------------------------------------------------------|
/// | is in flight               | one of the jobs, and a slot at its host                                         |
/// | pauses before its next try | a slot at its host, if the host itself needs the pause                          |
/// | is redirected              | nothing; it is next at the other host                                           |
package struct SchedulerState {
    /// The right to have one request in flight to a host.
    package struct Slot: Equatable, Sendable {
        fileprivate let host: Int
        /// The host's halving count when the request started.
        fileprivate let halvings: Int
    }

    /// A URL that may be requested now, and its slot.
    package struct Start: Equatable, Sendable {
        /// The number under which the URL was added.
        package let number: Int
        package let slot: Slot
    }

    private struct Host {
        var concurrency: HostConcurrency
        var inFlight = 0
        var images: [Int] = []
        var next = 0
        /// The images that have started before and may start again.
        var returning: [Int] = []
        var heldUntil: Timestamp?
        /// Whether the host is in `ready`.
        var isReady = false

        var hasImages: Bool { next < images.count || !returning.isEmpty }
    }

    private enum Sleeper {
        case host(Int)
        case image(Int, host: Int)
        /// A reserved slot at this host.
        case slot(Int)
    }

    private let jobs: Int
    private let concurrency: HostConcurrency
    private var hosts: [Host] = []
    private var numbers: [String: Int] = [:]
    private var inFlight = 0
    /// The waiting requests, each with its host.
    private var requests: [(id: Int, host: Int)] = []
    /// The hosts where a request has ended and the next image starts at once.
    private var continuing: [Int] = []
    /// The number of hosts that have waiting images.
    private var hostsWithImages = 0
    /// The hosts that have a waiting image and a free slot, in turn.
    private var ready: [Int] = []
    private var readyHead = 0
    /// The waits, sorted so that the next one to end is the last.
    private var sleepers: [(due: Timestamp, sleeper: Sleeper)] = []

    /// `concurrency` is the initial limit of each host.
    package init(jobs: Int, concurrency: HostConcurrency) {
        self.jobs = max(1, jobs)
        self.concurrency = concurrency
    }

    // MARK: Adding

    /// Adds images, whose numbers count up from `first`.
    package mutating func add(_ urls: [ResourceURL], from first: Int) {
        var host = 0
        for index in urls.indices {
            // Most images are at the host of the previous image, which saves the look-up.
            let isAlike = index > 0 && urls[index].hasSameBeginning(as: urls[index - 1])
            if !isAlike { host = number(of: urls[index].origin) }
            if !hosts[host].hasImages { hostsWithImages += 1 }
            hosts[host].images.append(first + index)
            markReady(host)
        }
    }

    package mutating func add(request id: Int, at origin: String) { requests.append((id, number(of: origin))) }

    package mutating func remove(request id: Int) { requests.removeAll { $0.id == id } }

    // MARK: Starting

    package mutating func nextRequest() -> (id: Int, slot: Slot)? {
        guard inFlight < jobs, let index = requests.firstIndex(where: { hasFreeSlot($0.host) }) else { return nil }
        let request = requests.remove(at: index)
        return (request.id, takeSlot(at: request.host))
    }

    package mutating func nextImage() -> Start? {
        guard inFlight < jobs else { return nil }
        while let host = nextHost() {
            guard hasFreeSlot(host), let image = takeImage(at: host) else { continue }
            let slot = takeSlot(at: host)
            markReady(host)
            return Start(number: image, slot: slot)
        }
        return nil
    }

    // MARK: Ending and waiting

    /// Ends the request of this slot and records its signal.
    ///
    /// The slot stays reserved until `due`, if that is given.
    package mutating func release(
        _ slot: Slot, reservedUntil due: Timestamp? = nil, _ signal: HostConcurrency.Signal
    ) {
        inFlight -= 1
        hosts[slot.host].concurrency.record(signal, since: slot.halvings)
        if let due { sleep(.slot(slot.host), until: due) } else { free(slot.host) }
    }

    /// Ends an attempt at an image, whose next attempt starts after `due`.
    package mutating func pause(
        _ start: Start, until due: Timestamp, reservingSlot reservesSlot: Bool, _ signal: HostConcurrency.Signal
    ) {
        release(start.slot, reservedUntil: reservesSlot ? due : nil, signal)
        sleep(.image(start.number, host: start.slot.host), until: due)
    }

    /// Ends an attempt at an image, whose next attempt is at `origin`.
    package mutating func move(_ start: Start, to origin: String, _ signal: HostConcurrency.Signal) {
        release(start.slot, signal)
        readd(start.number, at: number(of: origin))
    }

    /// Holds back all requests to this host until `due`; nil ends the hold.
    package mutating func hold(_ origin: String, until due: Timestamp?) {
        let host = number(of: origin)
        guard hosts[host].heldUntil != due else { return }
        hosts[host].heldUntil = due
        if let due { sleep(.host(host), until: due) } else { markReady(host) }
    }

    /// When the next wait ends.
    package var nextDue: Timestamp? { sleepers.last?.due }

    /// Ends the waits that are due by `now`; nil ends all waits.
    package mutating func wake(by now: Timestamp?) {
        while let (due, sleeper) = sleepers.last, now.map({ due <= $0 }) ?? true {
            sleepers.removeLast()
            switch sleeper {
            case .host(let host):
                // The hold may have been extended or ended since.
                guard let end = hosts[host].heldUntil, end <= due else { continue }
                hosts[host].heldUntil = nil
                markReady(host)
            case .image(let image, let host): readd(image, at: host)
            case .slot(let host): free(host)
            }
        }
    }

    // MARK: Hosts

    private mutating func number(of origin: String) -> Int {
        let host = numbers.number(of: origin)
        if host == hosts.count { hosts.append(Host(concurrency: concurrency)) }
        return host
    }

    private func hasFreeSlot(_ host: Int) -> Bool {
        hosts[host].inFlight < hosts[host].concurrency.limit && hosts[host].heldUntil == nil
    }

    private mutating func takeSlot(at host: Int) -> Slot {
        inFlight += 1
        hosts[host].inFlight += 1
        return Slot(host: host, halvings: hosts[host].concurrency.halvings)
    }

    private mutating func free(_ host: Int) {
        hosts[host].inFlight -= 1
        if hosts[host].hasImages, hosts[host].inFlight < max(1, jobs / hostsWithImages) { continuing.append(host) }
        markReady(host)
    }

    /// Adds an image that has started before.
    ///
    /// It precedes the host's new images.
    private mutating func readd(_ image: Int, at host: Int) {
        if !hosts[host].hasImages { hostsWithImages += 1 }
        hosts[host].returning.append(image)
        markReady(host)
    }

    /// Gives the host a turn, if it has a waiting image and a free slot.
    private mutating func markReady(_ host: Int) {
        guard !hosts[host].isReady, hosts[host].hasImages, hasFreeSlot(host) else { return }
        hosts[host].isReady = true
        ready.append(host)
    }

    private mutating func nextHost() -> Int? {
        if let host = continuing.popLast() { return host }
        guard readyHead < ready.count else { return nil }
        let host = ready[readyHead]
        readyHead += 1
        dropTakenTurns()
        hosts[host].isReady = false
        return host
    }

    private mutating func takeImage(at host: Int) -> Int? {
        guard hosts[host].hasImages else { return nil }
        defer { if !hosts[host].hasImages { hostsWithImages -= 1 } }
        if !hosts[host].returning.isEmpty { return hosts[host].returning.removeFirst() }
        defer { hosts[host].next += 1 }
        return hosts[host].images[hosts[host].next]
    }

    private mutating func sleep(_ sleeper: Sleeper, until due: Timestamp) {
        var (low, high) = (0, sleepers.count)
        while low < high {
            let middle = (low + high) / 2
            if sleepers[middle].due > due { low = middle + 1 } else { high = middle }
        }
        sleepers.insert((due, sleeper), at: low)
    }

    private mutating func dropTakenTurns() {
        guard readyHead > 256, readyHead * 2 > ready.count else { return }
        ready.removeFirst(readyHead)
        readyHead = 0
    }
}

extension Dictionary where Value == Int {
    /// Returns the key's number, which counts up from 0 in the order in which keys are first seen.
    ///
    /// One look-up both finds and assigns the number.
    package mutating func number(of key: Key) -> Int {
        let next = count
        return Self.value(&self[key, default: next])
    }

    private static func value(_ entry: inout Int) -> Int { entry }
}
