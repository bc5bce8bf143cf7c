/// Says which request may start, so that no more than `jobs` are in flight, no more than a host's share of them to it, and
/// no busy host makes the others wait. It is pure: it starts nothing, waits for nothing and reads no clock.
///
/// | who waits                                  | who is next                                                     |
/// |--------------------------------------------|-----------------------------------------------------------------|
/// | a request with a task of its own: a feed's | the first to come whose host has a place, before any image      |
/// | an image                                   | at the host where one has just ended, as its connection is      |
/// |                                            | open, while fewer than jobs ÷ hosts are in flight there; else   |
/// |                                            | at each host in turn. One that was begun before comes first     |
///
/// | what an image does    | what it keeps                                                                        |
/// |-----------------------|--------------------------------------------------------------------------------------|
/// | is in flight          | one of the jobs, and a place at its host                                             |
/// | rests before its next | no job; its place at the host, if it is the host that is to be left alone            |
/// | try                   |                                                                                      |
/// | is redirected         | nothing; it is the next at the other host                                            |
package struct SchedulerState {
    /// Where a request is in flight.
    package struct Place: Equatable, Sendable {
        fileprivate let host: Int
        /// Of the host's share, when the request set out.
        fileprivate let halvings: Int
    }

    package struct Start: Equatable, Sendable {
        /// Of an image, or of whatever else was added by its URL.
        package let number: Int
        package let place: Place
    }

    private struct Host {
        var share: HostConcurrency
        var inFlight = 0
        var images: [Int] = []
        var next = 0
        /// Those that were begun before.
        var returning: [Int] = []
        var heldUntil: Timestamp?
        /// Whether it is in `ready`.
        var isReady = false

        var hasImages: Bool { next < images.count || !returning.isEmpty }
    }

    private enum Sleeper {
        case host(Int)
        case image(Int, host: Int)
        /// A place that nobody takes.
        case place(Int)
    }

    private let jobs: Int
    private let share: HostConcurrency
    private var hosts: [Host] = []
    private var numbers: [String: Int] = [:]
    private var inFlight = 0
    /// With the host that each wants to go to.
    private var requests: [(id: Int, host: Int)] = []
    /// Hosts where a request has ended, and that are to go on at once.
    private var going: [Int] = []
    /// How many hosts have images that wait for their turn.
    private var hostsWithImages = 0
    /// Hosts that have images and a place for one, in turn.
    private var ready: [Int] = []
    private var readyHead = 0
    /// The one that is due first is the last.
    private var sleepers: [(due: Timestamp, who: Sleeper)] = []

    /// `share` is what each host begins with.
    package init(jobs: Int, share: HostConcurrency) {
        self.jobs = max(1, jobs)
        self.share = share
    }

    // MARK: Who comes

    /// The images' numbers go up from `first`.
    package mutating func add(_ urls: [ResourceURL], from first: Int) {
        var host = 0
        for index in urls.indices {
            // Most are at the host of the one before, which is seen without a look-up.
            let isAlike = index > 0 && urls[index].hasSameBeginning(as: urls[index - 1])
            if !isAlike { host = number(of: urls[index].origin) }
            if !hosts[host].hasImages { hostsWithImages += 1 }
            hosts[host].images.append(first + index)
            list(host)
        }
    }

    package mutating func add(request id: Int, at origin: String) { requests.append((id, number(of: origin))) }

    package mutating func remove(request id: Int) { requests.removeAll { $0.id == id } }

    // MARK: Who starts

    package mutating func nextRequest() -> (id: Int, place: Place)? {
        guard inFlight < jobs, let turn = requests.firstIndex(where: { hasPlace($0.host) }) else { return nil }
        let request = requests.remove(at: turn)
        return (request.id, start(at: request.host))
    }

    package mutating func nextImage() -> Start? {
        guard inFlight < jobs else { return nil }
        while let host = nextHost() {
            guard hasPlace(host), let image = takeImage(at: host) else { continue }
            let place = start(at: host)
            list(host)
            return Start(number: image, place: place)
        }
        return nil
    }

    // MARK: Who ends, or waits

    /// What was in flight there is no longer, and this is what it tells of the host. Nobody takes its place before `due`.
    package mutating func leave(_ place: Place, keepingItUntil due: Timestamp? = nil, _ news: HostConcurrency.News) {
        inFlight -= 1
        hosts[place.host].share.learn(news, since: place.halvings)
        if let due { sleep(.place(place.host), until: due) } else { vacate(place.host) }
    }

    package mutating func rest(
        _ start: Start, until due: Timestamp, keepingPlace keepsPlace: Bool, _ news: HostConcurrency.News
    ) {
        leave(start.place, keepingItUntil: keepsPlace ? due : nil, news)
        sleep(.image(start.number, host: start.place.host), until: due)
    }

    package mutating func move(_ start: Start, to origin: String, _ news: HostConcurrency.News) {
        leave(start.place, news)
        goOn(with: start.number, at: number(of: origin))
    }

    /// Nothing starts at this host before that; nil: it need not wait.
    package mutating func hold(_ origin: String, until due: Timestamp?) {
        let host = number(of: origin)
        guard hosts[host].heldUntil != due else { return }
        hosts[host].heldUntil = due
        if let due { sleep(.host(host), until: due) } else { list(host) }
    }

    /// When the next wait ends.
    package var nextDue: Timestamp? { sleepers.last?.due }

    /// Ends the waits that are over by `now`; nil: all of them.
    package mutating func wake(by now: Timestamp?) {
        while let (due, who) = sleepers.last, now.map({ due <= $0 }) ?? true {
            sleepers.removeLast()
            switch who {
            case .host(let host):
                // It may be held for longer by now, or not at all.
                guard let end = hosts[host].heldUntil, end <= due else { continue }
                hosts[host].heldUntil = nil
                list(host)
            case .image(let image, let host): goOn(with: image, at: host)
            case .place(let host): vacate(host)
            }
        }
    }

    // MARK: Hosts

    private mutating func number(of origin: String) -> Int {
        let host = numbers.number(of: origin)
        if host == hosts.count { hosts.append(Host(share: share)) }
        return host
    }

    private func hasPlace(_ host: Int) -> Bool {
        hosts[host].inFlight < hosts[host].share.places && hosts[host].heldUntil == nil
    }

    private mutating func start(at host: Int) -> Place {
        inFlight += 1
        hosts[host].inFlight += 1
        return Place(host: host, halvings: hosts[host].share.halvings)
    }

    private mutating func vacate(_ host: Int) {
        hosts[host].inFlight -= 1
        if hosts[host].hasImages, hosts[host].inFlight < max(1, jobs / hostsWithImages) { going.append(host) }
        list(host)
    }

    /// Before the images there that weren't begun yet.
    private mutating func goOn(with image: Int, at host: Int) {
        if !hosts[host].hasImages { hostsWithImages += 1 }
        hosts[host].returning.append(image)
        list(host)
    }

    /// Lets it have its turn, if there is anything to start there.
    private mutating func list(_ host: Int) {
        guard !hosts[host].isReady, hosts[host].hasImages, hasPlace(host) else { return }
        hosts[host].isReady = true
        ready.append(host)
    }

    private mutating func nextHost() -> Int? {
        if let host = going.popLast() { return host }
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

    private mutating func sleep(_ who: Sleeper, until due: Timestamp) {
        var (low, high) = (0, sleepers.count)
        while low < high {
            let middle = (low + high) / 2
            if sleepers[middle].due > due { low = middle + 1 } else { high = middle }
        }
        sleepers.insert((due, who), at: low)
    }

    private mutating func dropTakenTurns() {
        guard readyHead > 256, readyHead * 2 > ready.count else { return }
        ready.removeFirst(readyHead)
        readyHead = 0
    }
}
