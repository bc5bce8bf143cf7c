/// Says which request may start, so that no more than `jobs` are in flight, no more than a host's share of them to it, and
/// no busy host makes the others wait. It is pure: it starts nothing, waits for nothing and reads no clock.
///
/// | who waits                                  | who is next                                                     |
/// |--------------------------------------------|-----------------------------------------------------------------|
/// | a request with a task of its own: a feed's | the first to come whose host has a place, before any image      |
/// | an image                                   | one that was begun before, then the next of each host in turn   |
///
/// | what an image does    | what it keeps                                                                        |
/// |-----------------------|--------------------------------------------------------------------------------------|
/// | is in flight          | one of the jobs, and a place at its host                                             |
/// | rests before its next | no job; its place at the host, if it is the host that is to be left alone            |
/// | try                   |                                                                                      |
/// | is redirected         | nothing; it is the next at the other host                                            |
package struct RequestQueue {
    /// Where a request is in flight: the number of its host.
    package typealias Place = Int

    package struct Start: Equatable, Sendable {
        package let image: Int
        package let place: Place
    }

    private struct Host {
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
        case host(Place)
        case image(Int, Place, keepsPlace: Bool)
    }

    private let jobs: Int
    private let perHost: Int
    private var hosts: [Host] = []
    private var numbers: [String: Place] = [:]
    private var inFlight = 0
    /// With the place where each wants to go.
    private var requests: [(id: Int, place: Place)] = []
    /// Images that rested and kept their place.
    private var rested: [Start] = []
    /// Hosts that have images and a place for one, in turn.
    private var ready: [Place] = []
    private var readyHead = 0
    /// The one that is due first is the last.
    private var sleepers: [(due: Timestamp, who: Sleeper)] = []

    package init(jobs: Int, perHost: Int) {
        self.jobs = max(1, jobs)
        self.perHost = max(1, perHost)
    }

    // MARK: Who comes

    /// The images' numbers go up from `first`.
    package mutating func add(_ urls: [ResourceURL], from first: Int) {
        var place = 0
        for index in urls.indices {
            // Most are at the host of the one before, which is seen without a look-up.
            let isAlike = index > 0 && urls[index].hasSameBeginning(as: urls[index - 1])
            if !isAlike { place = self.place(of: urls[index].origin) }
            hosts[place].images.append(first + index)
            list(place)
        }
    }

    package mutating func add(request id: Int, at origin: String) { requests.append((id, place(of: origin))) }

    package mutating func remove(request id: Int) { requests.removeAll { $0.id == id } }

    // MARK: Who starts

    package mutating func nextRequest() -> (id: Int, place: Place)? {
        guard inFlight < jobs, let turn = requests.firstIndex(where: { hasPlace($0.place) }) else { return nil }
        let request = requests.remove(at: turn)
        start(at: request.place)
        return request
    }

    package mutating func nextImage() -> Start? {
        guard inFlight < jobs else { return nil }
        if let start = rested.popLast() {
            inFlight += 1
            return start
        }
        while readyHead < ready.count {
            let place = ready[readyHead]
            readyHead += 1
            dropTakenTurns()
            hosts[place].isReady = false
            guard hasPlace(place), let image = takeImage(at: place) else { continue }
            start(at: place)
            list(place)
            return Start(image: image, place: place)
        }
        return nil
    }

    // MARK: Who ends, or waits

    /// What was in flight there is no longer.
    package mutating func leave(_ place: Place) {
        inFlight -= 1
        vacate(place)
    }

    package mutating func rest(_ start: Start, until due: Timestamp, keepingPlace keepsPlace: Bool) {
        if keepsPlace { inFlight -= 1 } else { leave(start.place) }
        sleep(.image(start.image, start.place, keepsPlace: keepsPlace), until: due)
    }

    package mutating func move(_ start: Start, to origin: String) {
        leave(start.place)
        let place = place(of: origin)
        hosts[place].returning.append(start.image)
        list(place)
    }

    /// Nothing starts at this host before that; nil: it need not wait.
    package mutating func hold(_ origin: String, until due: Timestamp?) {
        let place = place(of: origin)
        guard hosts[place].heldUntil != due else { return }
        hosts[place].heldUntil = due
        if let due { sleep(.host(place), until: due) } else { list(place) }
    }

    /// When the next wait ends.
    package var nextDue: Timestamp? { sleepers.last?.due }

    /// Ends the waits that are over by `now`; nil: all of them.
    package mutating func wake(by now: Timestamp?) {
        while let (due, who) = sleepers.last, now.map({ due <= $0 }) ?? true {
            sleepers.removeLast()
            switch who {
            case .host(let place):
                // It may be held for longer by now, or not at all.
                guard let end = hosts[place].heldUntil, end <= due else { continue }
                hosts[place].heldUntil = nil
                list(place)
            case .image(let image, let place, keepsPlace: true): rested.append(Start(image: image, place: place))
            case .image(let image, let place, keepsPlace: false):
                hosts[place].returning.append(image)
                list(place)
            }
        }
    }

    // MARK: Hosts

    private mutating func place(of origin: String) -> Place {
        let place = numbers.number(of: origin)
        if place == hosts.count { hosts.append(Host()) }
        return place
    }

    private func hasPlace(_ place: Place) -> Bool {
        hosts[place].inFlight < perHost && hosts[place].heldUntil == nil
    }

    private mutating func start(at place: Place) {
        inFlight += 1
        hosts[place].inFlight += 1
    }

    private mutating func vacate(_ place: Place) {
        hosts[place].inFlight -= 1
        list(place)
    }

    /// Lets it have its turn, if there is anything to start there.
    private mutating func list(_ place: Place) {
        guard !hosts[place].isReady, hosts[place].hasImages, hasPlace(place) else { return }
        hosts[place].isReady = true
        ready.append(place)
    }

    private mutating func takeImage(at place: Place) -> Int? {
        if let image = hosts[place].returning.popLast() { return image }
        guard hosts[place].next < hosts[place].images.count else { return nil }
        defer { hosts[place].next += 1 }
        return hosts[place].images[hosts[place].next]
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
