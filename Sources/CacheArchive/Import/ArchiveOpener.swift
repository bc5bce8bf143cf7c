package import FeedCore
internal import SystemFiles

/// Waits for the beginning of an archive on a thread of its own: it may come from a pipe.
package actor ArchiveOpener {
    private let executor = QueueExecutor("feedsync.archive")

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package init() {}

    package func open(_ source: any ByteSource) throws(FeedError) -> CacheImporter { try CacheImporter(source) }
}
