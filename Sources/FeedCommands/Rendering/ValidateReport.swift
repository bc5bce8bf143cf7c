import FeedCore
import JSONText

/// What `validate` did or, in a dry run, would do.
struct ValidateReport {
    let feedsDeleted: [ResourceURL]
    let damaged: ImageRemoval
    let unreferenced: ImageRemoval

    private var bytesFreed: Int64 { damaged.bytesFreed + unreferenced.bytesFreed }

    var json: String {
        let value: JSONValue = [
            "feeds_deleted": .array(feedsDeleted.map { .string($0.text) }),
            "images_deleted": .integer(unreferenced.images),
            "damaged": .integer(damaged.images),
            "bytes_freed": .integer(Int(bytesFreed)),
        ]
        return value.text() + "\n"
    }

    var summary: String {
        let feeds = Phrases.count(feedsDeleted.count, "feed")
        let images = Phrases.count(unreferenced.images + damaged.images, "image")
        return "deleted \(feeds) and \(images), \(Phrases.size(bytesFreed)) freed"
    }

    var damage: String? {
        guard damaged.images > 0 else { return nil }
        return "\(Phrases.count(damaged.images, "damaged image")) deleted; the next sync fetches what feeds refer to"
    }

    var plan: [String] {
        var lines = feedsDeleted.map { "would delete \($0) (stale)" }
        if damaged.images > 0 { lines.append("would delete \(Phrases.count(damaged.images, "damaged image"))") }
        if unreferenced.images > 0 {
            lines.append("would delete \(Phrases.count(unreferenced.images, "image")) that no feed refers to")
        }
        if bytesFreed > 0 { lines.append("would free \(Phrases.size(bytesFreed))") }
        return lines
    }
}
