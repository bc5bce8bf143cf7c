import FeedCore

/// One thread that moves transfers, and two workers that feed the sinks of what takes its time; what they are reached by.
final class TransferThread: Sendable {
    private static let workerCount = 2

    let mailbox: Mailbox
    let executor: TransferExecutor
    private let thread: NativeThread

    /// The threads run until the mailbox is closed. `share` is what part of the connections to a host are its own.
    init(
        settings: NetworkSettings, share: Share, whenEnded: @escaping @Sendable () -> Void
    ) throws(FeedError) {
        let multi = try MultiHandle(connectionsPerHost: share.of(settings.maxConnectionsPerHost))
        let mailbox = Mailbox(multi: multi)
        let executor = TransferExecutor(mailbox)
        let deliveries = DeliveryQueue(mostBytes: share.of(DeliveryQueue.mostBytes))
        self.mailbox = mailbox
        self.executor = executor

        let worker = DeliveryWorker(queue: deliveries, mailbox: mailbox)
        var workers = 0
        do throws(FeedError) {
            while workers < Self.workerCount {
                try NativeThread.start { worker.run() }
                workers += 1
            }
            thread = try NativeThread.start {
                var loop = TransferLoop(
                    settings: settings, multi: multi, mailbox: mailbox, executor: executor, deliveries: deliveries)
                loop.run()
                for _ in 1...Self.workerCount { deliveries.dismissWorker() }
                whenEnded()
            }
        } catch {
            for _ in 0..<workers { deliveries.dismissWorker() }
            throw error
        }
    }

    /// Whether who asks runs here.
    var isCurrent: Bool { thread.isCurrent }

    /// What one of several has of what is theirs together.
    struct Share {
        private let number: Int
        private let count: Int

        init(number: Int, of count: Int) {
            self.number = number
            self.count = count
        }

        func of(_ whole: Int) -> Int { (whole + count - 1 - number) / count }
    }
}
