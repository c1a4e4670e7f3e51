import TestSupport
import Testing

@testable import ObjectStorage

struct XMLElementTests {
    private func read(_ text: String) -> XMLElement? { XMLElement(document: Array(text.utf8)) }

    @Test func `elements, text, attributes and references are parsed`() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/" a='<>"'>
            """
        #expect(read(text + "</ListBucketResult>") == nil, "a '<' in an attribute is none")
        let root = try #require(
            read(
                """
                \u{FEFF}<?xml version="1.0"?>
                <s3:Result xmlns:s3="http://example.com/" b = ">">
                  <Key>a&amp;b&lt;c&gt;&quot;&apos;&#65;&#x42;</Key><Empty/><Empty a="1" />
                  <Contents><Key>1</Key><Size>2</Size></Contents><Contents><Key>3</Key></Contents>
                </s3:Result>
                """))
        #expect(root.name == "Result")
        #expect(root.text("Key") == "a&b<c>\"'AB")
        #expect(root.text("Empty") == "")
        #expect(root.children.filter { $0.name == "Contents" }.map { $0.text("Key") } == ["1", "3"])
        #expect(root.child("Contents")?.text("Size") == "2")
        #expect(root.text("None") == nil)
    }

    @Test(arguments: [
        "", " ", "text", "<a>", "<a></b>", "<a></a><b/>", "<a></a>text", "</a>", "<a", "<a b></a>", "<a b=c/>",
        "<a b=\"c/>",
        "<a b=\"c\"d=\"e\"/>", "<>", "< a/>", "<a><b></a></b>", "<a>&b;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>",
        "<a>&#1114112;</a>",
        "<a>& </a>", "<a>&#-1;</a>", "<a>&#+65;</a>", "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a><!-- b --></a>",
        "<a><![CDATA[b]]></a>", "<a><?b?></a>", "<?xml version=\"1.0\"", "<a:b:c/>", "<:a/>", "<html>Bad <br> gateway",
    ])
    func `any other text is refused`(_ text: String) {
        #expect(read(text) == nil)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(XMLElement(document: Array("<a>".utf8) + [0xFF] + Array("</a>".utf8)) == nil)
    }

    @Test func `deep nesting is refused without deep recursion`() {
        #expect(read(String(repeating: "<a>", count: 16) + String(repeating: "</a>", count: 16)) != nil)
        #expect(read(String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17)) == nil)
        #expect(read(String(repeating: "<a>", count: 1_000_000)) == nil)
    }

    @Test func `no corrupted response causes a trap`() {
        let good = Array(
            "<?xml version=\"1.0\"?><R a=\"b\"><Contents><Key>a&amp;b</Key><Size>12</Size></Contents><E/></R>".utf8)
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                default: bytes.insert(good[Int.random(in: 0..<good.count, using: &generator)], at: index)
                }
            }
            if let root = XMLElement(document: bytes) { #expect(!root.name.isEmpty) }
        }
    }
}
