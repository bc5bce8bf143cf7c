import Glibc

/// The certificate authorities of the system.
package enum CertificateAuthorities {
    /// The files of Debian and Alpine, Red Hat, SUSE, and again Alpine.
    ///
    /// libcurl knows only the file of the distribution that it was built for.
    private static let files = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    /// Returns libcurl's own file, or the first file of another distribution if that one is missing.
    static func file(preferring own: String?) -> String? {
        find(own, among: files) { access($0, R_OK) == 0 }
    }

    package static func find(_ own: String?, among files: [String], where exists: (String) -> Bool) -> String? {
        if let own, exists(own) { return own }
        return files.first(where: exists) ?? own
    }
}
