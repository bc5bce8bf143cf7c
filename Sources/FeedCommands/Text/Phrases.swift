import FeedCore

/// Formats numbers, sizes and times for people.
enum Phrases {
    /// Formats a size in powers of 1024: `512`, `1.5K`, `64M`.
    static func size(_ bytes: Int64) -> String {
        var value = Double(bytes)
        var unit = ""
        // The rounded value counts, so that 1024K becomes 1M.
        for next in ["K", "M", "G", "T"] where value.rounded() >= 1024 {
            value /= 1024
            unit = next
        }
        if unit.isEmpty || value >= 9.95 { return "\(Int64(value.rounded()))\(unit)" }
        let tenths = Int64((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)\(unit)" : "\(tenths / 10).\(tenths % 10)\(unit)"
    }

    /// Formats seconds as `5` or `0.5`.
    static func seconds(_ duration: Duration) -> String {
        let seconds = duration.inSeconds
        return seconds == seconds.rounded() ? "\(Int64(seconds))" : "\(seconds)"
    }

    /// Formats a time as `2 hours`, in the largest unit that fits, rounded down.
    static func span(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        let units: [(Int64, String)] = [(86_400, "day"), (3600, "hour"), (60, "minute")]
        for (length, name) in units where seconds >= length { return count(Int(seconds / length), name) }
        return count(Int(seconds), "second")
    }

    /// Formats an age at the time `now` as `2 hours ago`.
    static func age(of moment: Timestamp, at now: Timestamp) -> String {
        now < moment ? "in the future" : "\(span(now - moment)) ago"
    }

    /// Formats a count as `1 image` or `2 images`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Joins words as `a`, `a or b`, or `a, b or c`.
    static func list(_ words: [String], _ conjunction: String) -> String {
        let others = words.dropLast().joined(separator: ", ")
        return "\(others)\(others.isEmpty ? "" : " \(conjunction) ")\(words.last ?? "")"
    }

    /// Formats a duration as `0.42s`, `12.50s` or `3m 05s`.
    static func stopwatch(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        if seconds >= 60 { return "\(seconds / 60)m \(seconds % 60 < 10 ? "0" : "")\(seconds % 60)s" }
        let hundredths = seconds * 100 + attoseconds / 10_000_000_000_000_000
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)s"
    }
}

extension Duration {
    /// The seconds, rounded down to the microsecond.
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        // The value is divided only once, so that it is the nearest number to its digits.
        return Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1_000_000
    }
}
