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
    private let saves: Bool

    package init(local: LocalImageDataLoader, remote: RemoteImageDataLoader, saves: Bool = true) {
        self.local = local
        self.remote = remote
        self.saves = saves
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
        let data: ImageData
        do {
            data = try await remote.load(url, on: terms)
        } catch {
            guard let cacheFailure, !error.isCancellation else { throw error }
            throw error.adding(", and from the cache: \(cacheFailure.message)")
        }
        guard saves else { return Loaded(data: data, isFromCache: false, saveFailure: nil) }
        do {
            try await local.save(data, for: url)
            return Loaded(data: data, isFromCache: false, saveFailure: nil)
        } catch let error where error.isCancellation {
            throw error
        } catch {
            return Loaded(data: data, isFromCache: false, saveFailure: error)
        }
    }
}
