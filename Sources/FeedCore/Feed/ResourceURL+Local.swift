extension ResourceURL {
    /// Whether the URL names a file, the local machine, or the literal of an address that is not public.
    var isLocal: Bool {
        guard let host else { return true }
        let name = host.filter { !"[]".contains($0) }.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        return NetworkAddress(presentation: name).map { !$0.addressClass.isPublic } ?? false
    }
}
