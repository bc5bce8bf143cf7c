extension Validators {
    /// Returns the validators after a 304, which renews those that it contains (RFC 9111, section 3.2). A 304 with
    /// another strong entity tag is about other data (section 4.3.4); with that tag, later requests would be answered
    /// as if the cache had the other data.
    func updated(by answer: Validators) -> Validators {
        if let tag = answer.etag, tag.isStrongTag, tag != etag { return self }
        return Validators(etag: answer.etag ?? etag, lastModified: answer.lastModified ?? lastModified)
    }
}
