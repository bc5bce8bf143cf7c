import Synchronization

/// Places for requests to each host: no more than `perHost` are in flight to one origin, whatever they are for: images,
/// feeds, redirects to it, and further tries. Who comes first goes first.
///
/// `DownloadQueue` keeps to the same number, so that no job waits here while an image of another host could start; what
/// libcurl is told is how many connections to keep, of which HTTP/2 needs but one.
final class HostPlaces: Sendable {
    typealias Place = Int

    private let perHost: Int
    private let hosts = Mutex(BusyHosts())

    init(perHost: Int) { self.perHost = max(1, perHost) }

    /// Returns when there is a place, which the caller has from then on.
    func enter(_ origin: String) async throws(FeedError) -> Place {
        if let place = hosts.withLock({ $0.enter(origin, limit: perHost) }) { return place }
        guard let place = await waitToEnter(origin) else { throw .cancelled }
        return place
    }

    func leave(_ place: Place) {
        hosts.withLock { $0.leave(place) }?.continuation.resume(returning: place)
    }

    /// How many wait, for tests to know when they do.
    var waitingCount: Int { hosts.withLock { $0.waitingCount } }

    /// Where the request has its place; nil if the task is cancelled before it is its turn, then it holds none.
    private func waitToEnter(_ origin: String) async -> BusyHosts.Index? {
        let number = hosts.withLock { $0.nextNumber() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let end = wait(BusyHosts.Waiter(number: number, continuation: continuation), for: origin) {
                    continuation.resume(returning: end.place)
                }
            }
        } onCancel: {
            hosts.withLock { $0.takeOut(number, of: origin) }?.continuation.resume(returning: nil)
        }
    }

    private struct EndOfWait {
        let place: BusyHosts.Index?
    }

    /// Nil if it has to wait. A place may have become free in the meantime; and a cancellation that came before this is
    /// seen here, one that comes after it finds the waiter.
    private func wait(_ waiter: BusyHosts.Waiter, for origin: String) -> EndOfWait? {
        hosts.withLock { hosts in
            if Task.isCancelled { return EndOfWait(place: nil) }
            if let host = hosts.enter(origin, limit: perHost) { return EndOfWait(place: host) }
            hosts.wait(waiter, for: origin)
            return nil
        }
    }
}

/// The hosts to which requests are in flight. A request looks its host up once, by the origin, and leaves by the index.
private struct BusyHosts {
    typealias Index = Int

    struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Index?, Never>
    }

    private struct Host {
        var origin: String
        var inFlight = 0
        var waiting: [Waiter] = []
    }

    private var indexes: [String: Index] = [:]
    private var hosts: [Host] = []
    /// Of hosts that aren't busy any more.
    private var free: [Index] = []
    private var waiters = 0
    private var last: Index = 0

    var waitingCount: Int { hosts.reduce(0) { $0 + $1.waiting.count } }

    mutating func nextNumber() -> Int {
        waiters += 1
        return waiters
    }

    /// Nil if `limit` requests are in flight already.
    mutating func enter(_ origin: String, limit: Int) -> Index? {
        let host = index(of: origin)
        guard hosts[host].inFlight < limit else { return nil }
        hosts[host].inFlight += 1
        return host
    }

    /// Mostly it is that of the one before, which is seen at once.
    private mutating func index(of origin: String) -> Index {
        if last < hosts.count, hosts[last].inFlight > 0, hosts[last].origin == origin { return last }
        last = indexes[origin] ?? add(origin)
        return last
    }

    private mutating func add(_ origin: String) -> Index {
        let host = free.popLast() ?? hosts.count
        if host == hosts.count { hosts.append(Host(origin: origin)) } else { hosts[host].origin = origin }
        indexes[origin] = host
        return host
    }

    /// For a host that is busy.
    mutating func wait(_ waiter: Waiter, for origin: String) {
        if let host = indexes[origin] { hosts[host].waiting.append(waiter) }
    }

    mutating func takeOut(_ number: Int, of origin: String) -> Waiter? {
        guard let host = indexes[origin],
            let place = hosts[host].waiting.firstIndex(where: { $0.number == number })
        else { return nil }
        return hosts[host].waiting.remove(at: place)
    }

    /// The place goes to who has waited longest, who is answered with.
    mutating func leave(_ host: Index) -> Waiter? {
        guard hosts[host].waiting.isEmpty else { return hosts[host].waiting.removeFirst() }
        hosts[host].inFlight -= 1
        if hosts[host].inFlight == 0 {
            indexes[hosts[host].origin] = nil
            free.append(host)
        }
        return nil
    }
}
