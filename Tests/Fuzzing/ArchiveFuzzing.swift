import CacheArchive
import FeedCore
import TestDoubles
import TestSupport

/// Imports anything.
///
/// What is taken must export, and that import again to the same: an archive can be refused, but not bring in what can't
/// be carried on.
enum ArchiveFuzzing {
    private static let terms = ImportTerms(
        maxImageSize: 1 << 20, maxFeedSize: FeedSizeLimit(bytes: 1 << 20), now: .writable.upperBound)

    static func run(_ bytes: [UInt8]) {
        check(bytes)
        let summed = summed(bytes)
        if summed != bytes { check(summed) }
    }

    /// Corrects the checksum of everything that looks like a header, because a reader refuses any other change to one.
    private static func summed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for start in stride(from: 0, to: bytes.count - 511, by: 512)
        where bytes[start + 257..<start + 262].elementsEqual("ustar".utf8) {
            for offset in 148..<156 { bytes[start + offset] = UInt8(ascii: " ") }
            let sum = bytes[start..<start + 512].reduce(0) { $0 + Int($1) }
            let digits = String(sum, radix: 8)
            let text = String(repeating: "0", count: 6 - digits.utf8.count) + digits + "\0"
            for (offset, byte) in text.utf8.enumerated() { bytes[start + 148 + offset] = byte }
        }
        return bytes
    }

    /// What is taken from an archive can be exported and imported again.
    static func check(_ bytes: [UInt8]) {
        guard let cache = takeIn(bytes) else { return }
        guard let archive = export(cache) else { return }
        guard let copy = takeIn(archive) else { preconditionFailure("an export was refused") }
        precondition(export(copy) == archive, "an export came back as another")
    }

    /// Whichever of two archives of the same feeds comes first, the cache is the same after both: one lacks image data
    /// that the other brings.
    static func checkMerge(_ thin: [UInt8], _ full: [UInt8]) {
        guard let thinFirst = takeIn(thin), takeIn(full, into: thinFirst) != nil else { return }
        guard let fullFirst = takeIn(full), takeIn(thin, into: fullFirst) != nil else {
            preconditionFailure("the order of two archives decides whether they are taken")
        }
        precondition(export(thinFirst) == export(fullFirst), "the order of two archives decides what they bring")
    }

    static func takeIn(_ bytes: [UInt8], into cache: InMemoryCache = InMemoryCache()) -> InMemoryCache? {
        do throws(FeedError) {
            _ = try CacheImporter(MemorySource(bytes)).merge(into: InMemoryIntake(cache), terms) { _ in }
            return cache
        } catch {
            precondition(error.kind == .invalidData, error.message)
            return nil
        }
    }

    /// Returns the archive of the cache; nil if the cache has nothing to export.
    private static func export(_ cache: InMemoryCache, as name: String = "x.tar") -> [UInt8]? {
        let target = MemoryTarget()
        do throws(FeedError) {
            let snapshot = try InMemoryTransfer(cache).snapshot()
            _ = try CacheExporter().export([], from: snapshot, to: target, fileName: name) { _ in }
            return target.bytes
        } catch {
            precondition(error.kind == .notFound, error.message)
            return nil
        }
    }

    static var seeds: [(name: String, bytes: [UInt8])] {
        var seeds: [(name: String, bytes: [UInt8])] = []
        guard let cache = takeIn(LayoutFuzzing.archive(LayoutFuzzing.texts)) else {
            preconditionFailure("the seed was refused")
        }
        for suffix in ["tar", "tar.gz", "tar.zst"] {
            if let archive = export(cache, as: "x.\(suffix)") { seeds.append((suffix, archive)) }
        }
        let (thin, full) = (LayoutFuzzing.archive(LayoutFuzzing.thinTexts, isThin: true), LayoutFuzzing.hostile)
        // The second lacks its end marker.
        seeds += [("thin", thin), ("cut", thin.dropLast(1024)), ("alternatives", full)]
        var tar = TarBuilder()
        tar.addPax([("path", "index.json"), ("GNU.sparse.map", "0,1"), ("size", "3")])
        tar.add("x", [1, 2, 3], kind: .file)
        tar.add("./", kind: .directory)
        tar.add("blobs/sha256", kind: .hardLink, link: "oci-layout")
        tar.end()
        seeds.append(("odd", tar.bytes))
        return seeds
    }
}
