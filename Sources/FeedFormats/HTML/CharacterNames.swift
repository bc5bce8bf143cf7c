/// Names of characters that HTML got in its fifth version, and that libxml2 doesn't know: those of punctuation, of
/// typography, and of the letters of Europe.
enum CharacterNames {
    static let later: [String: Unicode.Scalar] = {
        var later: [String: Unicode.Scalar] = [:]
        let words = table.split(separator: " ")
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            later[String(words[index])] = UInt32(words[index + 1], radix: 16).flatMap(Unicode.Scalar.init)
        }
        return later
    }()

    private static let table = """
        Tab 9 NewLine A excl 21 QUOT 22 num 23 dollar 24 percnt 25 AMP 26 apos 27 lpar 28 rpar 29 ast 2A midast 2A plus 2B \
        comma 2C period 2E sol 2F colon 3A semi 3B LT 3C equals 3D GT 3E quest 3F commat 40 lsqb 5B lbrack 5B bsol 5C \
        rsqb 5D rbrack 5D Hat 5E lowbar 5F UnderBar 5F grave 60 DiacriticalGrave 60 lcub 7B lbrace 7B verbar 7C vert 7C \
        VerticalLine 7C rcub 7D rbrace 7D NonBreakingSpace A0 COPY A9 REG AE pm B1 half BD div F7 centerdot B7 \
        hyphen 2010 dash 2010 horbar 2015 OpenCurlyQuote 2018 CloseCurlyQuote 2019 rsquor 2019 lsquor 201A \
        OpenCurlyDoubleQuote 201C CloseCurlyDoubleQuote 201D rdquor 201D ldquor 201E ddagger 2021 bullet 2022 nldr 2025 \
        mldr 2026 caret 2041 hybull 2043 emsp13 2004 emsp14 2005 numsp 2007 puncsp 2008 ThinSpace 2009 hairsp 200A \
        VeryThinSpace 200A ZeroWidthSpace 200B NoBreak 2060 TRADE 2122 numero 2116 copysr 2117 incare 2105 phone 260E \
        check 2713 checkmark 2713 cross 2717 malt 2720 star 2606 starf 2605 bigstar 2605 female 2640 male 2642 sung 266A \
        flat 266D natural 266E sharp 266F leftarrow 2190 uparrow 2191 rightarrow 2192 downarrow 2193 frac13 2153 \
        frac23 2154 frac15 2155 frac25 2156 frac35 2157 frac45 2158 frac16 2159 frac56 215A frac18 215B frac38 215C \
        frac58 215D frac78 215E Amacr 100 amacr 101 Abreve 102 abreve 103 Aogon 104 aogon 105 Cacute 106 cacute 107 \
        Ccirc 108 ccirc 109 Cdot 10A cdot 10B Ccaron 10C ccaron 10D Dcaron 10E dcaron 10F Dstrok 110 dstrok 111 Emacr 112 \
        emacr 113 Edot 116 edot 117 Eogon 118 eogon 119 Ecaron 11A ecaron 11B Gcirc 11C gcirc 11D Gbreve 11E gbreve 11F \
        Gdot 120 gdot 121 Gcedil 122 Hcirc 124 hcirc 125 Hstrok 126 hstrok 127 Itilde 128 itilde 129 Imacr 12A imacr 12B \
        Iogon 12E iogon 12F Idot 130 imath 131 inodot 131 Jcirc 134 jcirc 135 Kcedil 136 kcedil 137 Lacute 139 lacute 13A \
        Lcedil 13B lcedil 13C Lcaron 13D lcaron 13E Lmidot 13F lmidot 140 Lstrok 141 lstrok 142 Nacute 143 nacute 144 \
        Ncedil 145 ncedil 146 Ncaron 147 ncaron 148 Omacr 14C omacr 14D Odblac 150 odblac 151 Racute 154 racute 155 \
        Rcaron 158 rcaron 159 Sacute 15A sacute 15B Scirc 15C scirc 15D Scedil 15E scedil 15F Tcedil 162 tcedil 163 \
        Tcaron 164 tcaron 165 Utilde 168 utilde 169 Umacr 16A umacr 16B Ubreve 16C ubreve 16D Uring 16E uring 16F \
        Udblac 170 udblac 171 Uogon 172 uogon 173 Wcirc 174 wcirc 175 Ycirc 176 ycirc 177 Zacute 179 zacute 17A Zdot 17B \
        zdot 17C Zcaron 17D zcaron 17E
        """
}
