import HTTPServer
import Testing

struct NetworkPrefixTests {
    @Test(
        arguments: [
            ("192.0.2.77/24", "192.0.2.0/24"), ("10.1.2.3", "10.1.2.3/32"), ("10.1.2.3/0", "0.0.0.0/0"),
            ("2001:db8:1:2ff::1/56", "2001:db8:1:200::/56"), ("::1", "::1/128"), ("fe80::1/0", "::/0"),
            ("2001:db8::ff/121", "2001:db8::80/121"),
        ])
    func `a network keeps only its leading bits`(_ text: String, _ expected: String) {
        #expect(NetworkPrefix(text)?.description == expected)
    }

    @Test(arguments: ["", "x", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "10.0.0", "10.0.0.0/", "10.0.0.0/8/8", "/8"])
    func `an invalid network is nil`(_ text: String) {
        #expect(NetworkPrefix(text) == nil)
    }

    @Test(
        arguments: [
            ("10.0.0.0/8", "10.9.8.7", true), ("10.0.0.0/8", "11.0.0.0", false), ("0.0.0.0/0", "1.2.3.4", true),
            ("0.0.0.0/0", "::1", false), ("::/0", "2001:db8::1", true), ("2001:db8::/70", "2001:db8::1", true),
            ("2001:db8::/70", "2001:db8:0:0:8000::", false), ("10.0.0.0/24", "10.0.0.0/8", false),
        ])
    func `a network contains the networks inside it`(_ outer: String, _ inner: String, _ expected: Bool) throws {
        let outer = try #require(NetworkPrefix(outer))
        let inner = try #require(NetworkPrefix(inner))
        #expect(outer.contains(inner) == expected)
    }
}
