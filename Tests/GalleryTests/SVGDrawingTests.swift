import Testing

@testable import Gallery

@Suite("An SVG file")
struct SVGDrawingTests {
    private func drawing(_ text: String) -> SVGDrawing { SVGDrawing(Array(text.utf8)) }

    @Test(
        "that only draws is passive",
        arguments: [
            "<svg/>", "\u{FEFF}<?xml version='1.0' encoding='UTF-8'?>\n<!-- <script> -->\n<svg></svg>",
            "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd'><svg/>",
            "<!DOCTYPE svg><svg/>", "<!DOCTYPE svg SYSTEM \"it's > here\" ><!-- one --><svg></svg >",
            "<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:g id='one'><s:path d='M0 0'/></s:g></s:svg>",
            "<svg><style><![CDATA[ .a > .b { fill: red } <script> ]]></style><text>1 &#60; 2 &amp; so on</text></svg>",
            "<svg><image href='data:image/png;base64,AAAA'/><a href='https://example.com/'><rect/></a></svg>",
            "<svg label='a&#10;b'><title>Description: nothing</title></svg>",
            "<svg><g id='a' label='data: one'/><use href='#a'/><animate attributeName='x' values='1;2'/></svg>",
        ])
    func passive(text: String) { #expect(drawing(text).isPassive) }

    @Test(
        "that could do anything else, or can't be made sense of, is not",
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
            "<?xml version='1.0' encoding='UTF-7'?><svg/>", "<?xml version='1.0' encoding=UTF-8?><svg/>",
            "<html><svg/></html>", "<svg", "<svg a='b", "<svg a=b/>", "<svg a/>", "<svg><!-- ", "<svg><![CDATA[ ",
            "<svg></svg", "<svg></></svg>", "<svg></svg a='>'></svg>",
            "<svg a='<'/>", "<svg a='&#+120;'/>", "<svg a='&unknown;'/>", "<svg a='&'/>",
            "<svg><a href='javascript&colon;alert(1)'/></svg>", "<svg a='&#xZZ;'/>", "<svg a='&#120'/>", "", "text",
        ])
    func active(text: String) { #expect(!drawing(text).isPassive) }

    @Test(
        "whose document type a browser could see the end of elsewhere is not",
        arguments: [
            #"<!DOCTYPE svg SYSTEM "x><!--"><svg><script>alert(1)</script><!-- --><svg/></svg>"#,
            "<!DOCTYPE svg SYSTEM 'x><!--'><svg><script>alert(1)</script><!-- --><svg/></svg>",
            #"<!DOCTYPE svg PUBLIC "x" "x><!--"><svg><script>alert(1)</script><!-- --><svg/></svg>"#,
            "<!DOCTYPE svg 'x'><svg/>", "<!DOCTYPE svg SYSTEM x><svg/>", "<!DOCTYPE svg SYSTEM 'x' 'y'><svg/>",
            "<!DOCTYPE svg PUBLIC 'x'><svg/>", "<!DOCTYPE svg SYSTEM 'x><svg/>", "<!DOCTYPE svg SYSTEM'x'><svg/>",
            "<!DOCTYPE svg <!-- > --> ><svg/>", "<!DOCTYPE><svg/>", "<!DOCTYPEsvg><svg/>", "<!doctype svg><svg/>",
            "<!DOCTYPE svg", "<!DOCTYPE svg><!DOCTYPE svg><svg/>", "<svg><!DOCTYPE svg></svg>",
            "<svg/><!DOCTYPE svg>",
        ])
    func documentType(text: String) { #expect(!drawing(text).isPassive) }

    @Test("in UTF-16 is not") func wide() {
        #expect(!SVGDrawing([0xFF, 0xFE] + "<svg/>".utf16.flatMap { [UInt8($0), 0] }).isPassive)
        #expect(!SVGDrawing("<svg/>".utf16.flatMap { [0, UInt8($0)] }).isPassive)
    }
}
