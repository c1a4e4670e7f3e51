import Testing

@testable import HTTPClient

@Suite struct ProxyExceptionTests {
    @Test(arguments: [
        ("example.com", "example.com", true), ("example.com", "api.example.com:443", true),
        ("example.com", "API.Example.COM.", true), ("example.com", "badexample.com", false),
        (".example.com", "example.com", false), (".example.com", "api.example.com", true),
        ("10.0.0.0/8", "10.255.1.2:80", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/8", "host10", false),
        ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.1.2.4", false), ("0.0.0.0/0", "8.8.8.8", true),
        ("fd00::/8", "[fd12::1]:443", true), ("fd00::/8", "[fe80::1]", false), ("fd00::1", "[fd00:0::1]", true),
        ("10.0.0.0/8", "[::ffff:10.0.0.1]", true), ("10.0.0.0/8", "[fd00::1]", false), ("0.0.0.1", "1", true),
    ])
    func `an exception covers the hosts it names`(_ exception: String, _ authority: String, _ isCovered: Bool) throws {
        #expect(try #require(ProxyException(exception)).matches(RequestHost(authority: authority)) == isCovered)
    }

    @Test(arguments: [
        ("localhost:80", true), ("LOCALHOST.", true), ("a.localhost", true), ("127.0.0.1", true), ("127.9.9.9:1", true),
        ("127.1", true), ("2130706433", true), ("[::1]:443", true), ("[::ffff:127.0.0.1]", true),
        ("127.example.com", false), ("localhost.example.com", false), ("[::ffff:10.0.0.5]", false),
        ("128.0.0.1", false),
        ("[::2]", false),
    ])
    func `the local host is never reached through the proxy`(_ authority: String, _ isThisMachine: Bool) {
        let host = RequestHost(authority: authority)
        #expect(host.isLoopback == isThisMachine)
        #expect(HTTPProxy(url: "http://proxy:1").isUsed(for: host) == !isThisMachine)
    }
}
