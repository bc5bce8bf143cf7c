/// Gathers received images and publishes them a batch at a time: making 500 files durable at once costs little more than
/// one. While a batch is published the next one gathers; a third has to wait, which bounds the files held open.
///
/// Publishing goes on when the run is cancelled: what was received is kept.
struct ImageBatches {
    struct Limits: Sendable {
        var images = 500
        var bytes: Int64 = 256 << 20
        var age = Duration.seconds(5)
    }

    typealias Published = Result<[(image: ReceivedImage, failure: FeedError?)], FeedError>

    private let store: any ImageStore
    private let limits: Limits
    private var gathering: [ReceivedImage] = []
    private var gatheringBytes: Int64 = 0
    private var publishing: Task<Published, Never>?
    /// Counts batches, so that a batch's time limit does not end the one after it.
    private(set) var number = 0

    init(store: any ImageStore, limits: Limits) {
        self.store = store
        self.limits = limits
    }

    var isEmpty: Bool { gathering.isEmpty }
    var isFull: Bool { gathering.count >= limits.images || gatheringBytes >= limits.bytes }
    var maxAge: Duration { limits.age }

    mutating func add(_ image: ReceivedImage) {
        gathering.append(image)
        gatheringBytes += image.size
    }

    /// Sends the gathered images off and answers with the batch before them, if there was one.
    mutating func publish() async -> Published? {
        let earlier = await finishPublishing()
        guard !gathering.isEmpty else { return earlier }
        let batch = gathering
        gathering = []
        gatheringBytes = 0
        number += 1
        publishing = Task { [store] in
            do throws(FeedError) {
                let failures = try await store.publish(batch)
                return .success(Array(zip(batch, failures)).map { (image: $0, failure: $1) })
            } catch {
                return .failure(error)
            }
        }
        return earlier
    }

    mutating func finishPublishing() async -> Published? {
        let published = await publishing?.value
        publishing = nil
        return published
    }
}
