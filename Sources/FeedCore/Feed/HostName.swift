import CIDN

/// The form of a host name that is requested, compared and stored: ASCII, converted by the same IDNA rules as in
/// libcurl (libidn2 with the same flags). With other rules, two names could be one origin here and two servers for
/// libcurl, and one server could get the password of the other.
package enum HostName {
    /// Returns the name in ASCII. The case of an ASCII name stays.
    package static func ascii(_ name: String) throws(InvalidURL) -> String {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        var ascii: UnsafeMutablePointer<CChar>?
        defer { idn2_free(ascii) }
        let modern = CInt(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        var code = idn2_to_ascii_8z(name, &ascii, modern)
        // libcurl, too, tries the older rules for names that the newer rules refuse.
        if code != IDN2_OK.rawValue { code = idn2_to_ascii_8z(name, &ascii, CInt(IDN2_TRANSITIONAL.rawValue)) }
        guard code == IDN2_OK.rawValue, let ascii else {
            throw InvalidURL("has a host that is no domain name: \(String(cString: idn2_strerror(code)))")
        }
        return String(cString: ascii)
    }
}
