import Primitives
import Testing

struct WhitespaceTests {
    @Test(arguments: [
        ("", ""), (" \t\r\n ", ""), ("user:password\r\n", "user:password"), ("\n a b \n", "a b"),
        ("\u{A0}x\u{2028}", "x"), ("x", "x"),
    ])
    func `whitespace and line breaks are trimmed only at the ends`(text: String, trimmed: String) {
        #expect(text.trimmingWhitespace == trimmed)
    }
}
