import HTTPTransport
import Testing

@Suite("The certificate authorities of the system")
struct CertificateAuthoritiesTests {
    @Test("The file of libcurl counts if it exists") func own() {
        #expect(CertificateAuthorities.find("/own", among: ["/a", "/b"]) { _ in true } == "/own")
    }

    @Test("If the file of libcurl is missing, the first existing file of another distribution counts") func other() {
        #expect(CertificateAuthorities.find("/own", among: ["/a", "/b"]) { $0 == "/b" } == "/b")
        #expect(CertificateAuthorities.find(nil, among: ["/a", "/b"]) { $0 == "/b" } == "/b")
    }

    @Test("If a system has no certificate authorities, the message names the file of libcurl") func none() {
        #expect(CertificateAuthorities.find("/own", among: ["/a"]) { _ in false } == "/own")
    }
}
