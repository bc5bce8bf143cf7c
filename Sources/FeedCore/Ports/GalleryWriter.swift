/// Writes feeds as a folder of web pages.
package protocol GalleryWriter: Sendable {
    /// All of it appears there at once, in place of the gallery that was there; when this throws, that stays. It
    /// also throws where the old one can't be deleted afterwards.
    ///
    /// Throws `storage`: `cannotCreate` where there is no place for it, or where something is that is no gallery; `locked`
    /// where another run is still writing it after as long a wait as is wanted.
    func write(
        _ gallery: Gallery, images: any ImageFiles, to place: GalleryPlace
    ) async throws(FeedError) -> GalleryReport
}
