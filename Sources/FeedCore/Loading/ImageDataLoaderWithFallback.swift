/// Use case: an image's data from the cache, else from its server, saving it.
package struct ImageDataLoaderWithFallback: Sendable {
    package struct Loaded: Hashable, Sendable {
        package let data: ImageData
        package let isFromCache: Bool
        /// Why data from the server could not be saved. It is delivered all the same.
        package let saveFailure: FeedError?
    }

    private let local: LocalImageDataLoader
    private let remote: RemoteImageDataLoader
    private let openForSaving: @Sendable () async throws(FeedError) -> LocalImageDataLoader

    /// `local` is read from. Where to save is asked for when there is something to save.
    package init(
        local: LocalImageDataLoader, remote: RemoteImageDataLoader,
        openForSaving: @escaping @Sendable () async throws(FeedError) -> LocalImageDataLoader
    ) {
        self.local = local
        self.remote = remote
        self.openForSaving = openForSaving
    }

    package func load(
        _ url: ResourceURL, on terms: RequestTerms = RequestTerms()
    ) async throws(FeedError) -> Loaded {
        do {
            return Loaded(data: try await local.load(url), isFromCache: true, saveFailure: nil)
        } catch let error where error.isCancellation {
            throw error
        } catch let error where error.kind == .notFound {
            return try await loadRemote(url, on: terms, after: nil)
        } catch {
            // Damaged or unreadable data is had anew; the reason counts only if that fails too.
            return try await loadRemote(url, on: terms, after: error)
        }
    }

    private func loadRemote(
        _ url: ResourceURL, on terms: RequestTerms, after cacheFailure: FeedError?
    ) async throws(FeedError) -> Loaded {
        let (data, circle): (ImageData, Circle)
        do {
            (data, circle) = try await remote.load(url, on: terms)
        } catch {
            guard let cacheFailure, !error.isCancellation else { throw error }
            throw error.adding(", and from the cache: \(cacheFailure.message)")
        }
        do {
            try await openForSaving().save(data, for: url, in: circle)
            return Loaded(data: data, isFromCache: false, saveFailure: nil)
        } catch let error where error.isCancellation {
            throw error
        } catch {
            return Loaded(data: data, isFromCache: false, saveFailure: error)
        }
    }
}
