internal import FeedCore

/// The two pages against which the relative references in the HTML of an item may resolve: feeds are written by
/// programs that copy the HTML of the item's page, or of the channel's page.
struct HTMLBases {
    /// The more likely base; nil for the feed's own URL.
    let first: ResourceURL?
    /// The other base; nil if there is only one.
    let other: ResourceURL?

    /// The item's page is more likely if it is on the host of the channel's page or of the feed.
    init(of page: ResourceURL?, channel: ResourceURL?, feed: ResourceURL) {
        guard let page, page.isRemote, page != channel ?? feed else {
            (first, other) = (channel, nil)
            return
        }
        let isHome = page.host == channel?.host || page.host == feed.host
        first = isHome ? page : channel
        other = isHome ? channel ?? feed : page
    }
}
