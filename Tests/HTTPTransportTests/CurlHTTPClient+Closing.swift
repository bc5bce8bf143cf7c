@testable import HTTPTransport

extension CurlHTTPClient {
    /// Ends the client while other objects still hold it, as a waiting request does.
    func close() { mailbox.close() }
}
