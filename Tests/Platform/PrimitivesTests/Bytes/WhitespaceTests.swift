import Primitives
import Testing

struct WhitespaceTests {
    @Test(arguments: [
        ("", ""), (" \t\r\n ", ""), ("user:password\r\n", "user:password"), ("\n a b \n", "a b"),
        ("\u{A0}x\u{2028}", "x"), ("x", "x"),
    ])
    func `white space and line ends are trimmed from both ends only`(text: String, trimmed: String) {
        #expect(text.trimmingWhitespace == trimmed)
    }
}
