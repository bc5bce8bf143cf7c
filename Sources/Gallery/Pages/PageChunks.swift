/// Items in their order, dealt out to pages: so many on each, but fewer where they are wordy and the page would weigh
/// too much.
struct PageChunks {
    struct Chunk {
        var html: [UInt8] = []
        var count = 0
    }

    /// Of a page and what is loaded with it before its pictures.
    private static let heaviestPage = 99_000
    private static let roomForFrame = 2500

    /// At least one, with nothing in it if there are no items.
    private(set) var all = [Chunk()]

    init<Item>(_ items: some Sequence<Item>, most: Int, weighing assets: Assets, html: (Item) -> [UInt8]) {
        let limit = Self.heaviestPage - Self.roomForFrame - assets.weight
        for item in items {
            let bytes = html(item)
            let last = all[all.count - 1]
            if last.count == most || (last.count > 0 && last.html.count + bytes.count > limit) { all.append(Chunk()) }
            all[all.count - 1].html += bytes
            all[all.count - 1].count += 1
        }
    }
}
