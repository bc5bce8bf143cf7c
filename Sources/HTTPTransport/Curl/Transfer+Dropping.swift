import FeedCore

/// What becomes of a body that nobody wants: its answer is known, and waits for nothing but the connection.
extension Transfer {
    /// What is left of it is read if it isn't more than this: cheaper than a new connection.
    private static let mostBytesToDrop: Int64 = 64 << 10
    /// And if it doesn't take longer than this, in nanoseconds: dearer than a new connection.
    private static let longestDropping: Int64 = 1_000_000_000

    /// For a body that is unwanted, or probably so. Any other has all the time that it takes, and is watched by nobody.
    func losePatience() {
        guard state.patienceEnds == nil else { return }
        let end = context.now + Self.longestDropping
        state.patienceEnds = end
        context.awaitEndOfPatience(end)
    }

    /// The sink doesn't want the body. False: so much of it is left, or it takes so long, that the transfer is better
    /// ended.
    func decline() -> Bool {
        state.isDeclined = true
        losePatience()
        guard !isPatienceOver, let announced = easy.contentLength else { return false }
        return announced - state.received <= Self.mostBytesToDrop
    }

    private var isPatienceOver: Bool { state.patienceEnds.map { $0 <= context.now } ?? false }

    /// Whether the transfer is to be ended, as the time for a body that isn't wanted is over. A sink that hasn't been
    /// asked whether it wants that is asked now, and may decline it.
    func hasOutstayed() -> Bool {
        guard let end = state.patienceEnds else { return false }
        guard isPatienceOver else {
            context.awaitEndOfPatience(end)
            return false
        }
        if state.handedOver == nil, let call { context.deliveries.add(headAlone(), to: call) }
        return state.isDeclined
    }
}
