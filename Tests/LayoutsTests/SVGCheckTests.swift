import Testing

@testable import Layouts

@Suite("An SVG file")
struct SVGCheckTests {
    private func isPassive(_ text: String) -> Bool { SVGCheck.isPassive(Array(text.utf8)) }

    @Test(
        "An SVG file that only draws is passive",
        arguments: [
            "<svg/>", "\u{FEFF}<?xml version='1.0' encoding='UTF-8'?>\n<!-- one -->\n<svg></svg>",
            "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd'><svg/>",
            "<!DOCTYPE svg><svg/>", "<!DOCTYPE svg SYSTEM \"it's > here\" ><!-- one --><svg></svg >",
            "<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:g id='one'><s:path d='M0 0'/></s:g></s:svg>",
            "<svg><style><![CDATA[ .a > .b { fill: red } ]]></style><text>1 &#60; 2 &amp; so on</text></svg>",
            "<svg><image href='data:image/png;base64,AAAA'/><a href='https://example.com/'><rect/></a></svg>",
            "<svg label='a&#10;b'><title>Description: nothing</title></svg>",
            "<svg><g id='a'/><use href='#a'/><animate attributeName='x' values='1;2'/></svg>",
            "<svg><use href='#a'/><image id='a' href='data:image/png;base64,\noAA=='/><text>turn on = 1</text></svg>",
            "<svg a='&#60;'/>", "<svg version='1.1' i:onwards='1' font='One'/>",
        ])
    func passive(text: String) { #expect(isPassive(text)) }

    @Test(
        "An SVG file that could do anything else, or looks like it, is not passive",
        arguments: [
            "<svg><script>alert(1)</script></svg>", "<svg><s:script xmlns:s='http://www.w3.org/2000/svg'/></svg>",
            "<svg><SCRIPT/></svg>", "<svg onload='alert(1)'/>", "<svg><rect\nonclick = \"alert(1)\"/></svg>",
            "<svg><a href='javascript:alert(1)'/></svg>", "<svg><a xlink:href=' JavaScript:alert(1)'/></svg>",
            "<svg><a href='java&#x73;cript:alert(1)'/></svg>", "<svg><a href='java&#115;cript&#58;alert(1)'/></svg>",
            "<svg><a href='java&#10;script:alert(1)'/></svg>", "<svg><a href='javascript:\u{301}alert(1)'/></svg>",
            "<svg><set attributeName='href' to='javascript:alert(1)'/></svg>",
            "<svg><use href='data:image/svg+xml,%3Csvg/%3E#x'/></svg>", "<svg><s:use x:href='\n DATA:,x#x'/></svg>",
            "<svg><use href='da&#x9;ta&#58;image/svg+xml;base64,AA==#x'/></svg>",
            "<svg><use><set attributeName='href' to='data:,x#x'/></use></svg>",
            "<svg><animate href='#u' attributeName='href' values='#a;data:,x#x'/><use id='u'/></svg>",
            "<svg><foreignObject><b/></foreignObject></svg>", "<svg><h:iframe src='x'/></svg>", "<svg><handler/></svg>",
            "<!DOCTYPE svg [<!ENTITY x '<script/>'>]><svg>&x;</svg>",
            "<?xml-stylesheet type='text/xsl' href='#x'?><svg/>", "<svg><?xml-stylesheet href='#x'?></svg>",
            "<?xml version='1.0' encoding = 'UTF-7'?><svg/>",
            "<svg a='&#+120;'/>", "<svg a='&unknown;'/>", "<svg a='&'/>",
            "<svg><a href='javascript&colon;alert(1)'/></svg>", "<svg a='&#xZZ;'/>", "<svg a='&#120'/>",
            "<svg/onload=alert(1)>", "<svg a='b'onload='alert(1)'/>",
            "<!DOCTYPE svg [<!ATTLIST svg onload CDATA 'x'>]><svg/>",
            "<svg><!-- <script> --></svg>", "<svg><![CDATA[<script>]]></svg>",
        ])
    func active(text: String) { #expect(!isPassive(text)) }

    @Test(
        "An SVG file that loads something from elsewhere when it is opened by itself is not passive",
        arguments: [
            "<svg><image href='https://a.example/'/></svg>", "<svg><image x:href=' //a.example/'/></svg>",
            "<svg><image href='other.png'/></svg>", "<svg><use href='other.svg#a'/></svg>",
            "<svg><image title='&lt;a ' href='https://a.example/'/></svg>",
            "<svg><rect fill='url(https://a.example/#a)'/></svg>",
            "<svg><rect style='fill: url( \"//a.example\" )'/></svg>",
            "<svg><style>@import '//a.example/';</style></svg>", "<svg><style>@\\69mport '//a.example/';</style></svg>",
            "<svg><style>a{b:u\\rl(//a.example/)}</style></svg>",
            "<svg><style>a{b:image-set('//a.example/' 1x)}</style></svg>",
            "<svg><style><![CDATA[a{b:url(//a.example/)}]]></style></svg>",
            "<svg><h:img xmlns:h='http://www.w3.org/1999/xhtml' src='//a.example/'/></svg>",
            "<svg><image><set attributeName='href' to='//a.example/'/></image></svg>",
            "<svg><image><animate attributeName = ' xlink:href ' to='//a.example/'/></image></svg>",
            "<svg xml:base='//a.example/'><use href='#a'/></svg>",
        ])
    func loading(text: String) { #expect(!isPassive(text)) }

    @Test(
        "An SVG file whose references stay in the file, and whose links a visitor has to click, is passive",
        arguments: [
            "<svg><rect fill='url(#a)'/><rect style='fill:url(&quot;#a&quot;)'/><style>a{b:url( '#c' )}</style></svg>",
            "<svg><a href='https://a.example/'>a</a><a xlink:href='b.html'/></svg>",
            "<svg><animate attributeName='fill' xlink:href='#a' values='1;2'/></svg>",
            "<svg><style>@font-face{src:url(data:font/woff2;base64,AA==)}</style></svg>",
            "<svg xmlns:xlink='http://www.w3.org/1999/xlink'><style>a{font-family:\\'a\\, b\\'}</style></svg>",
            "<svg><metadata><r:li r:resource='http://a.example/'/></metadata></svg>",
        ])
    func contained(text: String) { #expect(isPassive(text)) }

    @Test(
        "An SVG file with a document type that a browser could end elsewhere is not passive",
        arguments: [
            #"<!DOCTYPE svg SYSTEM "x><!--"><svg><script>alert(1)</script><!-- --><svg/></svg>"#,
            #"<!DOCTYPE svg PUBLIC "x" "x><!--"><svg><script>alert(1)</script><!-- --><svg/></svg>"#,
        ])
    func documentType(text: String) { #expect(!isPassive(text)) }

    @Test("An SVG file in UTF-16 is not passive") func wide() {
        #expect(!SVGCheck.isPassive([0xFF, 0xFE] + "<svg/>".utf16.flatMap { [UInt8($0), 0] }))
        #expect(!SVGCheck.isPassive("<svg/>".utf16.flatMap { [0, UInt8($0)] }))
    }
}
