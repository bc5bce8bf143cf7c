import Synchronization

/// An image that is asked for, in as many tries as it takes.
struct ImageUnderWay: Sendable {
    let wanted: WantedImage
    let sink: ImageSink
    var fetch: Fetch
}

/// The images of one run, by the numbers that they wait under.
final class ImagesUnderWay: Sendable {
    private struct State {
        var wanted: [WantedImage] = []
        /// Those that wait for another try.
        var begun: [Int: ImageUnderWay] = [:]
    }

    private let state = Mutex(State())
    private let remote: RemoteImageDataLoader
    private let stage: ImageSink.Stage
    private let mostBroken: Int

    /// Of images that wait, `mostBroken` keep what has come of them: each may hold a file open.
    init(_ remote: RemoteImageDataLoader, _ store: any ImageStore, mostBroken: Int) {
        self.remote = remote
        stage = { () throws(FeedError) in try store.stage() }
        self.mostBroken = mostBroken
    }

    /// How many there are now. Some at a time: lanes that are at work look in meanwhile.
    func add(_ images: [WantedImage]) -> Int {
        for some in images.parts(of: 100) {
            state.withLock { $0.wanted += some }
            remote.fetcher.traffic.add(some.map(\.url))
        }
        return state.withLock { $0.wanted.count }
    }

    func take(_ number: Int) -> ImageUnderWay {
        let (wanted, begun) = state.withLock { ($0.wanted[number], $0.begun.removeValue(forKey: number)) }
        return begun ?? begin(wanted)
    }

    private func begin(_ wanted: WantedImage) -> ImageUnderWay {
        let sink = ImageSink(of: wanted.url, stage: stage)
        return ImageUnderWay(
            wanted: wanted, sink: sink, fetch: remote.fetcher.begin(remote.request(for: wanted), into: sink))
    }

    /// Begins anew with the same image at another place.
    func turn(_ image: ImageUnderWay, to wanted: WantedImage) -> ImageUnderWay {
        image.sink.discard()
        return begin(wanted)
    }

    func putBack(_ image: ImageUnderWay, _ number: Int) {
        var image = image
        state.withLock { state in
            if state.begun.count >= mostBroken {
                image.sink.discard()
                image.fetch.forgetBody()
            }
            state.begun[number] = image
        }
    }

    /// In the order in which the images came, whichever of them were done first.
    func inOrder(_ failures: [ImagesReport.Failure]) -> [ImagesReport.Failure] {
        guard failures.count > 1 else { return failures }
        let failed = Set(failures.map(\.url.key))
        let wanted = state.withLock { $0.wanted }
        var places: [ResourceURL.Key: Int] = [:]
        for (place, image) in wanted.enumerated() where failed.contains(image.url.key) { places[image.url.key] = place }
        return failures.sorted { places[$0.url.key] ?? 0 < places[$1.url.key] ?? 0 }
    }
}
