import Primitives
import Testing

struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("a+b", "a+b"), ("%41", "A"), ("%c3%A9t%C3%a9", "été"),
        (
            "2026-11-21T10%3A00%3A00%2B01%3A00",
            "2026-11-21T10:00:00+01:00"
        ), ("%25", "%"), ("%2525", "%25"), ("%00", "\u{0}"),
    ])
    func `escapes of either case are decoded once, and a plus sign is kept`(text: String, decoded: String) {
        #expect(PercentEncoding.decode(text[...]) == decoded)
    }

    @Test(arguments: ["%", "%4", "a%", "%zz", "%4g", "%-1", "% 1", "%ff", "%C3", "%C3x", "%ED%A0%80", "%C0%80"])
    func `escapes without two digits and bytes that are not UTF-8 decode to nil`(text: String) {
        #expect(PercentEncoding.decode(text[...]) == nil)
    }
}
