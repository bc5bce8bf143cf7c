internal import FeedCore

/// What a file is opened as.
package enum FileRole: Sendable {
    /// A feed or an image, as a server would have it.
    case content
    /// What an option names: a pipe does as well, and what is neither is as good as none.
    case operand

    var kindOfWrongFile: FeedError.Kind { self == .content ? .invalidData : .notFound }
}
