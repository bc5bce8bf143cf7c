internal import FeedCore

extension ImageSize {
    /// That of the screen, which browsers widen to what the first frame takes.
    static func gif(_ file: inout FileBytes) throws(FeedError) -> ImageSize? {
        guard let width = try file.little(2, at: 6), let height = try file.little(2, at: 8) else { return nil }
        guard let frame = try firstFrame(&file), let left = try file.little(2, at: frame + 1),
            let top = try file.little(2, at: frame + 3), let frameWidth = try file.little(2, at: frame + 5),
            let frameHeight = try file.little(2, at: frame + 7)
        else { return ImageSize(width, height) }
        return ImageSize(max(width, left + frameWidth), max(height, top + frameHeight))
    }

    /// Where it is described.
    private static func firstFrame(_ file: inout FileBytes) throws(FeedError) -> Int? {
        guard let flags = try file.little(1, at: 10) else { return nil }
        var offset = 13 + colours(flags)
        var isInExtension = false
        for _ in 0..<mostParts {
            guard let first = try file.little(1, at: offset) else { return nil }
            if isInExtension {
                // Its blocks, each behind its length, end with an empty one.
                isInExtension = first > 0
                offset += 1 + first
            } else if first == 0x21 {
                isInExtension = true
                offset += 2
            } else {
                return first == 0x2C ? offset : nil
            }
        }
        return nil
    }

    /// Of a table of them, how many bytes.
    private static func colours(_ flags: Int) -> Int { flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1) }
}
