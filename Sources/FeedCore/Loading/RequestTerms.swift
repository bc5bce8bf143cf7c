/// On what terms a server is asked: what may be told to it, at which addresses, and in which manner.
///
/// A feed's images have theirs from the feed, since it is the feed that names them:
///
/// | the feed comes from                              | its images may be at                            |
/// |--------------------------------------------------|-------------------------------------------------|
/// | a loopback, link-local, private or unique-local  | any                                             |
/// | address, a file                                  |                                                 |
/// | any other address                                | public addresses, or any if private are allowed |
///
/// The feed's secrets go along for images at its own origin, and to no other (see `HTTPRequest.secretsToSend`).
///
/// One object, as a million images may share it.
package final class RequestTerms: Sendable {
    package let secrets: Secrets?
    package let addresses: AddressScope
    /// As the feed has it, where that is not as in the rest of the run.
    let manner: RequestManner?
    /// The most bytes an image may have; nil: as in the rest of the run.
    let maxImageBytes: Int64?

    package init(
        secrets: Secrets? = nil, addresses: AddressScope = .publicOnly, manner: RequestManner? = nil,
        maxImageBytes: Int64? = nil
    ) {
        self.secrets = secrets
        self.addresses = addresses
        self.manner = manner
        self.maxImageBytes = maxImageBytes
    }

    func reaching(_ addresses: AddressScope) -> RequestTerms {
        RequestTerms(secrets: secrets, addresses: addresses, manner: manner, maxImageBytes: maxImageBytes)
    }

    /// Whether there are any for the image's own server: they go to no other.
    func hasSecrets(for image: ResourceURL) -> Bool { secrets?.origin == image.origin }
}

extension HTTPRequest {
    init(
        url: ResourceURL, validators: Validators, maxBytes: Int64, on terms: RequestTerms, mayBeCompressed: Bool = true
    ) {
        self.init(
            url: url, validators: validators, maxBytes: maxBytes, secrets: terms.secrets, addresses: terms.addresses,
            mayBeCompressed: mayBeCompressed, manner: terms.manner)
    }
}
