@testable import HTTPTransport

extension CurlHTTPClient {
    /// Ends it while somebody holds on to it, as who waits for an answer does.
    func close() { mailbox.close() }
}
