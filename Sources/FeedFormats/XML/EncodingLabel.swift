/// What a document calls its encoding, and what is meant by it. The names follow the Encoding Standard, as browsers do:
/// what was labelled with a national standard was written on machines that had a superset of it, and reads as that.
struct EncodingLabel {
    /// As iconv names the encoding; nil for one that is not read.
    let decoder: String?

    static let utf8 = "UTF-8"

    init(_ label: String) {
        let label = label.lowercased()
        if let meant = Self.meant[label] {
            decoder = meant
        } else {
            decoder = Self.isReadable(label) ? label.uppercased() : nil
        }
    }

    /// Two bytes for most characters: what begins with a single one is none of these, whatever it says.
    static func isWide(_ label: String) -> Bool {
        let label = label.lowercased()
        return ["utf-16", "utf16", "ucs-2", "unicode", "iso-10646-ucs-2", "csunicode"].contains { label.hasPrefix($0) }
            && meant[label] == nil
    }

    /// Those whose text may be ASCII byte by byte and mean something else: they shift between sets of characters, or
    /// take several bytes for each.
    static func hidesInASCII(_ label: String) -> Bool {
        let label = label.lowercased()
        return ["iso-2022", "iso2022", "csiso2022", "hz", "utf-7", "utf7", "unicode-1-1-utf-7", "utf-32", "utf32"]
            .contains { label.hasPrefix($0) }
    }

    private static let labels: [String: String] = [
        utf8: "utf-8 utf8 utf_8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
        "CP1252": """
        ansi_x3.4-1968 ascii us-ascii cp1252 x-cp1252 windows-1252 windows1252 cp819 ibm819 csisolatin1 iso-8859-1 iso8859-1 \
        iso88591 iso_8859-1 iso_8859-1:1987 iso-ir-100 l1 latin1 latin-1
        """,
        "CP1254": """
        cp1254 x-cp1254 windows-1254 csisolatin5 iso-8859-9 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 iso-ir-148 l5 \
        latin5
        """,
        "WINDOWS-874": "windows-874 dos-874 cp874 iso-8859-11 iso8859-11 iso885911 tis-620",
        "GB18030": """
        gb18030 gbk x-gbk cp936 windows-936 gb2312 gb_2312 gb_2312-80 csgb2312 csiso58gb231280 chinese iso-ir-58 euc-cn
        """,
        "BIG5-HKSCS": "big5 big-5 big5-hkscs cn-big5 csbig5 x-x-big5 cp950",
        "CP932": "shift_jis shift-jis sjis x-sjis csshiftjis ms_kanji ms932 cp932 windows-31j windows-932",
        "EUC-JP-MS": "euc-jp eucjp x-euc-jp cseucpkdfmtjapanese",
        "ISO-2022-JP": "iso-2022-jp csiso2022jp",
        "CP949": """
        euc-kr euckr cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 \
        cp949 uhc
        """,
        "IBM866": "ibm866 cp866 866 csibm866",
        "KOI8-R": "koi8-r koi8_r koi8 koi cskoi8r",
        "KOI8-U": "koi8-u koi8-ru",
        "MACINTOSH": "macintosh mac csmacintosh x-mac-roman",
        "MAC-CYRILLIC": "x-mac-cyrillic x-mac-ukrainian",
        "ISO-8859-2": "l2 csisolatin2 iso-ir-101 iso_8859-2:1987",
        "ISO-8859-3": "l3 csisolatin3 iso-ir-109 iso_8859-3:1988",
        "ISO-8859-4": "l4 csisolatin4 iso-ir-110 iso_8859-4:1988",
        "ISO-8859-5": "cyrillic csisolatincyrillic iso-ir-144 iso_8859-5:1988",
        "ISO-8859-6": """
        arabic csisolatinarabic iso-ir-127 ecma-114 asmo-708 iso_8859-6:1987 iso-8859-6-i iso-8859-6-e csiso88596i \
        csiso88596e
        """,
        "ISO-8859-7": "greek greek8 sun_eu_greek csisolatingreek iso-ir-126 ecma-118 elot_928 iso_8859-7:1987",
        "ISO-8859-8": """
        iso-8859-8 iso-8859-8-i iso-8859-8-e logical visual hebrew csisolatinhebrew iso-ir-138 iso_8859-8:1988 \
        csiso88598i csiso88598e
        """,
        "ISO-8859-10": "l6 csisolatin6 iso-ir-157",
        "ISO-8859-15": "l9 csisolatin9",
        "CP1250": "cp1250 x-cp1250 windows-1250 windows1250",
        "CP1251": "cp1251 x-cp1251 cp-1251 windows-1251 windows1251 win-1251 win1251",
        "CP1253": "cp1253 x-cp1253 windows-1253", "CP1255": "cp1255 x-cp1255 windows-1255",
        "CP1256": "cp1256 x-cp1256 windows-1256", "CP1257": "cp1257 x-cp1257 windows-1257",
        "CP1258": "cp1258 x-cp1258 windows-1258",
    ]

    private static let meant: [String: String] = {
        var meant: [String: String] = [:]
        for (decoder, labels) in labels {
            for label in labels.split(separator: " ") { meant[String(label)] = decoder }
        }
        return meant
    }()

    /// Those in which markup is ASCII. In UTF-7 or EBCDIC, what is markup is hidden from whoever looks at the bytes;
    /// browsers take neither.
    private static func isReadable(_ label: String) -> Bool {
        let isName = label.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x2D...0x3A).contains($0) || $0 == 0x5F }
        return isName && !label.contains("/")
            && ["iso-8859", "iso8859", "iso_8859", "latin", "koi8"].contains { label.hasPrefix($0) }
    }
}
