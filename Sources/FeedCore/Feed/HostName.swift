import CIDN

/// The one form of a host's name in which it is asked for, compared and remembered: ASCII, by the IDNA of libcurl
/// (libidn2, with the same flags). With a form of our own, two names could be one origin here and two servers there, and
/// the password for one go to the other.
package enum HostName {
    /// An ASCII name is in this form already, but for its case.
    package static func ascii(_ name: String) throws(InvalidURL) -> String {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        var ascii: UnsafeMutablePointer<CChar>?
        defer { idn2_free(ascii) }
        let modern = CInt(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        var code = idn2_to_ascii_8z(name, &ascii, modern)
        // As libcurl does it, for names that are valid by the older rules alone.
        if code != IDN2_OK.rawValue { code = idn2_to_ascii_8z(name, &ascii, CInt(IDN2_TRANSITIONAL.rawValue)) }
        guard code == IDN2_OK.rawValue, let ascii else {
            throw InvalidURL("has a host that is no domain name: \(String(cString: idn2_strerror(code)))")
        }
        return String(cString: ascii)
    }
}
