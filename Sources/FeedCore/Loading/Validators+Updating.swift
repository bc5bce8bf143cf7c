extension Validators {
    /// A 304 renews what it names, and leaves the rest as it was (RFC 9111, section 3.2). With another strong entity tag
    /// it speaks of what isn't here (section 4.3.4): asked with that one, the server would go on to say that this is the
    /// latest.
    func updated(by answer: Validators) -> Validators {
        if let tag = answer.etag, tag.isStrongTag, tag != etag { return self }
        return Validators(etag: answer.etag ?? etag, lastModified: answer.lastModified ?? lastModified)
    }
}
