import Synchronization

/// An image that is being requested, with the state of all its attempts.
struct ImageUnderWay: Sendable {
    let wanted: WantedImage
    let sink: ImageSink
    var fetch: Fetch
}

/// The requests of one run, by their numbers, and the images that wait for each of them.
///
/// Images that would send the same request share it, and feeds share nothing else. Images whose data has different
/// validators share a request without a condition. An image whose URL has failed moves on to its next URL, where it may
/// meet the request of another image.
final class ImagesUnderWay: Sendable {
    /// Identifies a request, so that images with equal keys share one request.
    private struct RequestKey: Hashable {
        let url: ResourceURL.Key
        let credentials: String?
        /// The number of the `ServerTerms`.
        let terms: Int
    }

    /// The terms of a request that matter to the server and the connection.
    private struct ServerTerms: Hashable {
        let secrets: Secrets?
        let addresses: AddressScope
        let manner: RequestManner?
        let imageLimits: ImageLimits
    }

    private enum RequestState {
        case pending(number: Int)
        /// The server has confirmed the data that the request's validators came with.
        case confirmed(number: Int)
        case failed(FeedError)
    }

    private struct State {
        /// The image that each request is made for.
        var wanted: [WantedImage] = []
        /// Whether each request was sent, so that its condition is fixed.
        var isSent: [Bool] = []
        /// The other images that wait for a request.
        var waiting: [Int: [WantedImage]] = [:]
        /// The requests that wait for another attempt.
        var begun: [Int: ImageUnderWay] = [:]
        var requests: [RequestKey: RequestState] = [:]
        var termsNumbers: [ServerTerms: Int] = [:]
        /// The numbers of the terms that a feed sends to its own origin and to others.
        ///
        /// The terms are kept, because the identifier of a released object can become the identifier of another object.
        var ownNumbers: [ObjectIdentifier: (terms: RequestTerms, own: Int?, other: Int?)] = [:]
    }

    private let state = Mutex(State())
    private let remote: RemoteImageDataLoader
    private let stage: ImageSink.Stage
    private let mostPartial: Int

    /// `mostPartial` is the number of images that keep their bytes while they wait for another attempt, because each
    /// may hold a file open.
    init(_ remote: RemoteImageDataLoader, _ store: any ImageStore, mostPartial: Int) {
        self.remote = remote
        stage = { () throws(FeedError) in try store.stage() }
        self.mostPartial = mostPartial
    }

    // MARK: Beginning

    /// Adds images, and returns those whose requests have all failed before.
    ///
    /// It locks the state for a part of the images at a time, because the workers need the state meanwhile.
    func add(_ images: [WantedImage]) -> [FailedImage] {
        var failed: [FailedImage] = []
        for part in images.parts(of: 100) {
            state.withLock { state in
                var new: [ResourceURL] = []
                for image in part {
                    if let failure = enqueue(image, &state, { new.append($0.url) }) { failed.append(failure) }
                }
                // The lock is held, because the scheduler has to assign the same numbers.
                if !new.isEmpty { remote.fetcher.scheduler.add(new) }
            }
        }
        return failed
    }

    /// The number of requests so far.
    var count: Int { state.withLock { $0.wanted.count } }

    /// Takes a request for its next attempt.
    func take(_ number: Int) -> ImageUnderWay {
        let (wanted, begun) = state.withLock { state in
            state.isSent[number] = true
            return (state.wanted[number], state.begun.removeValue(forKey: number))
        }
        return begun ?? begin(wanted)
    }

    private func begin(_ wanted: WantedImage) -> ImageUnderWay {
        let sink = ImageSink(of: wanted.url, minSize: wanted.terms.imageLimits.minSize, stage: stage)
        return ImageUnderWay(
            wanted: wanted, sink: sink, fetch: remote.fetcher.begin(remote.request(for: wanted), into: sink))
    }

    /// Returns a request that waits for its next attempt.
    func putBack(_ image: ImageUnderWay, _ number: Int) {
        var image = image
        state.withLock { state in
            if state.begun.count >= mostPartial {
                image.sink.discard()
                image.fetch.forgetBody()
            }
            state.begun[number] = image
        }
    }

    // MARK: Ending

    /// An image whose URLs have all failed.
    struct FailedImage: Sendable {
        let image: ResourceURL
        let error: FeedError
        let feed: ResourceURL?
        let hasOtherData: Bool
    }

    /// The consequences of a failed request.
    struct Consequences: Sendable {
        /// The images that have no further URL.
        var failed: [FailedImage] = []
        /// The image that continues under the number of the request, at its next URL.
        var next: ImageUnderWay?
        /// The feeds of all images that waited for the request.
        let feeds: [ResourceURL]
    }

    /// Ends a request that has failed.
    ///
    /// Its images move on to their next URLs.
    func fail(_ number: Int, _ error: FeedError) -> Consequences {
        let (consequences, next) = state.withLock { state -> (Consequences, WantedImage?) in
            let images = images(of: number, &state)
            state.requests[key(of: images[0], &state)] = .failed(error)
            var consequences = Consequences(feeds: images.feeds)
            var next: WantedImage?
            var new: [ResourceURL] = []
            for image in images {
                guard let further = image.next(after: error) else {
                    consequences.failed.append(Self.failure(of: image, error))
                    continue
                }
                let failure = enqueue(further, &state) { image in
                    if next == nil { next = image } else { new.append(image.url) }
                } reusing: {
                    next == nil ? number : nil
                }
                if let failure { consequences.failed.append(failure) }
            }
            if !new.isEmpty { remote.fetcher.scheduler.add(new) }
            return (consequences, next)
        }
        var result = consequences
        result.next = next.map(begin)
        return result
    }

    /// Has the images whose data a 304 says nothing about share a further request, which has no condition.
    func confirm(_ number: Int) {
        state.withLock { state in
            let first = state.wanted[number]
            let waiting = state.waiting.removeValue(forKey: number) ?? []
            state.waiting[number] = waiting.filter { $0.isConfirmed(with: first) }
            state.requests[key(of: first, &state)] = .confirmed(number: number)
            var new: [ResourceURL] = []
            for image in waiting where !image.isConfirmed(with: first) {
                _ = enqueue(image.unconditional(), &state) { new.append($0.url) }
            }
            if !new.isEmpty { remote.fetcher.scheduler.add(new) }
        }
    }

    /// Ends a request that has succeeded, and returns the images that get its data.
    ///
    /// An image that wants the same request later finds the data in the cache, or makes a new request.
    func finish(_ number: Int) -> [WantedImage] {
        state.withLock { state in
            let images = images(of: number, &state)
            let key = key(of: images[0], &state)
            switch state.requests[key] {
            case .pending(number), .confirmed(number): state.requests[key] = nil
            default: break
            }
            return images
        }
    }

    private func images(of number: Int, _ state: inout State) -> [WantedImage] {
        [state.wanted[number]] + (state.waiting.removeValue(forKey: number) ?? [])
    }

    private static func failure(of image: WantedImage, _ error: FeedError) -> FailedImage {
        FailedImage(
            image: image.image, error: image.firstFailure ?? error, feed: image.terms.feed,
            hasOtherData: image.hasOtherData)
    }

    /// Returns failures in the order in which their images were added.
    func inOrder(_ failures: [ImagesReport.Failure]) -> [ImagesReport.Failure] {
        guard failures.count > 1 else { return failures }
        let failed = Set(failures.map(\.url.key))
        let wanted = state.withLock { $0.wanted }
        var positions: [ResourceURL.Key: Int] = [:]
        for (position, image) in wanted.enumerated() where failed.contains(image.image.key) {
            positions[image.image.key] = positions[image.image.key] ?? position
        }
        return failures.sorted { positions[$0.url.key] ?? .max < positions[$1.url.key] ?? .max }
    }
}

// MARK: Finding the request of an image

extension ImagesUnderWay {
    /// Lets an image wait for the request of its URL.
    ///
    /// Calls `isNew` if the image begins this request. Returns a failure if all URLs of the image have failed in this
    /// run.
    private func enqueue(
        _ image: WantedImage, _ state: inout State, _ isNew: (WantedImage) -> Void,
        reusing number: () -> Int? = { nil }
    ) -> FailedImage? {
        var image = image
        while true {
            let key = key(of: image, &state)
            switch state.requests[key] {
            case .pending(let number):
                let first = state.wanted[number]
                if !state.isSent[number], !image.isConfirmed(with: first) {
                    state.wanted[number] = first.unconditional()
                }
                state.waiting[number, default: []].append(image)
                return nil
            case .confirmed(let number) where image.isConfirmed(with: state.wanted[number]):
                state.waiting[number, default: []].append(image)
                return nil
            case .failed(let error):
                guard let next = image.next(after: error) else { return Self.failure(of: image, error) }
                image = next
            case .confirmed, nil:
                if let number = number() {
                    state.wanted[number] = image
                    state.isSent[number] = false
                    state.requests[key] = .pending(number: number)
                } else {
                    state.requests[key] = .pending(number: state.wanted.count)
                    state.wanted.append(image)
                    state.isSent.append(false)
                }
                isNew(image)
                return nil
            }
        }
    }

    private func key(of image: WantedImage, _ state: inout State) -> RequestKey {
        RequestKey(
            url: image.url.key, credentials: image.url.credentials, terms: termsNumber(of: image, &state))
    }

    private func termsNumber(of image: WantedImage, _ state: inout State) -> Int {
        let terms = image.terms
        // Most feeds lack secrets, which saves the look at the origin of each image.
        let isOwn = terms.isSpecial(for: image.url)
        let known = state.ownNumbers[ObjectIdentifier(terms)] ?? (terms, nil, nil)
        if let number = isOwn ? known.own : known.other { return number }
        let number = state.termsNumbers.number(
            of: ServerTerms(
                secrets: isOwn ? terms.secrets : nil, addresses: terms.addresses(for: image.url), manner: terms.manner,
                imageLimits: terms.imageLimits))
        state.ownNumbers[ObjectIdentifier(terms)] = isOwn ? (terms, number, known.other) : (terms, known.own, number)
        return number
    }
}

extension [WantedImage] {
    /// The feeds of the images, each once.
    var feeds: [ResourceURL] {
        if count == 1 { return compactMap(\.terms.feed) }
        var seen: Set<ResourceURL.Key> = []
        return compactMap(\.terms.feed).filter { seen.insert($0.key).inserted }
    }

    /// The `url` of each image, each once.
    var urls: [ResourceURL] {
        if count == 1 { return map(\.image) }
        var seen: Set<ResourceURL.Key> = []
        return map(\.image).filter { seen.insert($0.key).inserted }
    }
}
