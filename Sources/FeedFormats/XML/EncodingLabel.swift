/// The names that documents and servers have for encodings.
enum EncodingLabel {
    /// The name under which iconv knows the encoding that is meant; nil for one that is not read. A feed chooses among
    /// these alone: iconv knows encodings that nobody writes feeds in and that hide markup.
    static func decoder(for label: String) -> String? {
        let label = label.lowercased()
        if let superset = supersets[label] { return superset }
        let isUsual = prefixes.contains { label.hasPrefix($0) } && label.utf8.allSatisfy(isPartOfName)
        return isUsual ? label.uppercased() : nil
    }

    /// Whether it says UTF-8 or UTF-16, which the bytes themselves tell.
    static func isUnicode(_ label: String) -> Bool {
        let label = label.lowercased()
        return label.hasPrefix("utf") || label.hasPrefix("unicode") || label.hasPrefix("ucs-2")
    }

    private static let prefixes = ["iso-8859-", "iso8859-", "iso_8859-", "latin", "koi8-", "windows-125", "cp125"]

    /// Text with the label of a standard was written on machines that had a superset of it. Browsers read it as that.
    private static let supersets: [String: String] = [
        "us-ascii": "CP1252", "ascii": "CP1252", "x-cp1252": "CP1252", "x-cp1251": "CP1251",
        "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932", "windows-31j": "CP932",
        "euc-jp": "EUC-JP-MS", "x-euc-jp": "EUC-JP-MS", "iso-2022-jp": "ISO-2022-JP",
        "gb2312": "GB18030", "gbk": "GB18030", "gb18030": "GB18030", "big5": "BIG5-HKSCS", "big5-hkscs": "BIG5-HKSCS",
        "euc-kr": "CP949", "ks_c_5601-1987": "CP949", "cp949": "CP949",
        "tis-620": "CP874", "windows-874": "CP874", "ibm866": "IBM866", "cp866": "IBM866", "macintosh": "MACINTOSH",
    ]

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }
}
