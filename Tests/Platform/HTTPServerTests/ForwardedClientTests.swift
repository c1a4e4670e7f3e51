import HTTPServer
import TestSupport
import Testing

/// Tests of client addresses forwarded by proxies, and of trust in proxies. The proxies are in 10.0.0.0/8 and
/// 2001:db8:ff::/48.
struct ForwardedClientTests {
    private func limits(_ forwarded: ForwardedAddress) -> Limits {
        var limits = Limits()
        limits.proxies = ["10.0.0.0/8", "2001:db8:ff::/48"].compactMap { NetworkPrefix($0) }
        limits.forwarded = forwarded
        return limits
    }

    /// Returns the client of a request with these bytes on a connection from a proxy.
    private func client(
        _ bytes: [UInt8], _ forwarded: ForwardedAddress, isFromProxy: Bool = true, byteByByte: Bool = false
    ) -> String? {
        var state = ConnectionState(
            rules: ConnectionRules(limits: limits(forwarded)) { _ in .body(limit: 1000) }, isFromProxy: isFromProxy,
            now: 0)
        for piece in byteByByte ? bytes.map({ [$0] }) : [bytes] { _ = state.received(piece.span, now: 0) }
        return state.client?.description
    }

    private func client(_ fields: String, _ forwarded: ForwardedAddress, isFromProxy: Bool = true) -> String? {
        client(Array(HostileRequest.request(fields).utf8), forwarded, isFromProxy: isFromProxy)
    }

    // MARK: X-Forwarded-For

    @Test(
        arguments: [
            ("192.0.2.77", "192.0.2.0/24"), ("2001:db8:1:2ff::1", "2001:db8:1:200::/56"),
            ("203.0.113.9, 192.0.2.77", "192.0.2.0/24"), ("203.0.113.9,192.0.2.77, 10.1.1.1", "192.0.2.0/24"),
            ("192.0.2.77, 2001:db8:ff::1 , 10.1.1.1", "192.0.2.0/24"), ("192.0.2.77:4711", "192.0.2.0/24"),
            ("[2001:db8::1]:443", "2001:db8::/56"), ("::ffff:192.0.2.77", "192.0.2.0/24"),
            ("x, 192.0.2.77", "192.0.2.0/24"), ("\", 203.0.113.8", "203.0.113.0/24"),
            ("\"1.2.3.4, 203.0.113.8", "203.0.113.0/24"), ("1.2.3.4\u{0600}, 203.0.113.8", "203.0.113.0/24"),
            ("x\\, 203.0.113.8", "203.0.113.0/24"),
        ])
    func `the client is the last address of X-Forwarded-For that is not a proxy`(_ value: String, _ expected: String) {
        #expect(client("X-Forwarded-For: \(value)\r\n", .xForwardedFor) == expected)
    }

    @Test(
        arguments: [
            "", "unknown", "192.0.2.77, unknown", "10.1.1.1", "10.1.1.1, 10.2.2.2", "192.0.2.77, ", "192.0.2", "a:b:c",
            "[2001:db8::1", "[2001:db8::1]x", "192.0.2.77/24",
        ])
    func `the client is unknown if the end of the list is not an address`(_ value: String) {
        #expect(client("X-Forwarded-For: \(value)\r\n", .xForwardedFor) == nil)
    }

    @Test func `the last one of several fields has precedence`() {
        let fields = "X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-For: 192.0.2.77\r\nx-forwarded-for: 10.1.1.1\r\n"
        #expect(client(fields, .xForwardedFor) == "192.0.2.0/24")
    }

    // MARK: Forwarded

    @Test(
        arguments: [
            ("for=192.0.2.77", "192.0.2.0/24"), ("For=\"192.0.2.77:4711\";proto=https", "192.0.2.0/24"),
            ("proto=https; for = \"[2001:db8:1:2ff::1]:4711\" ;by=10.1.1.1", "2001:db8:1:200::/56"),
            ("for=203.0.113.9, for=192.0.2.77;host=\"a,b;for=198.51.100.1\"", "192.0.2.0/24"),
            ("for=192.0.2.77, for=10.1.1.1", "192.0.2.0/24"),
            // A client opened a quoted string, and a proxy appended its element to the same line.
            ("for=\"x, for=192.0.2.77", "192.0.2.0/24"), ("for=\"x\\, for=192.0.2.77", "192.0.2.0/24"),
            ("for=\"x, for=\"[2001:db8::1]:4711\"", "2001:db8::/56"),
            ("for=\"a\", by=\", for=\"[2001:db8::1]:4711\"", "2001:db8::/56"),
            ("for=203.0.113.9\u{0600}, for=192.0.2.77", "192.0.2.0/24"),
        ])
    func `the client is the last address of Forwarded that is not a proxy`(_ value: String, _ expected: String) {
        #expect(client("Forwarded: \(value)\r\n", .forwarded) == expected)
    }

    @Test(
        arguments: [
            "for=unknown", "for=_hidden", "by=192.0.2.77", "for=192.0.2.77, by=10.1.1.1", "192.0.2.77",
            "for=\"192.0.2.77",
            "for=\"192.0.2.\\77\"", "for=\"x, for=y",
        ])
    func `an invalid address in Forwarded leaves the client unknown`(_ value: String) {
        #expect(client("Forwarded: \(value)\r\n", .forwarded) == nil)
    }

    // MARK: Trusted proxies

    @Test(arguments: [ForwardedAddress.off, .forwarded, .xForwardedFor, .proxyProtocol])
    func `only a proxy is trusted, and only with the configured field`(_ forwarded: ForwardedAddress) {
        let fields = "X-Forwarded-For: 192.0.2.77\r\nForwarded: for=198.51.100.1\r\n"
        #expect(client(fields, forwarded, isFromProxy: false) == nil)
        let expected: [ForwardedAddress: String] = [.xForwardedFor: "192.0.2.0/24", .forwarded: "198.51.100.0/24"]
        #expect(client(fields, forwarded) == expected[forwarded])
    }

    @Test func `the client of one request is not reused for the next`() {
        var state = ConnectionState(
            rules: ConnectionRules(limits: limits(.xForwardedFor)) { _ in .body(limit: 1000) }, isFromProxy: true,
            now: 0)
        let bytes = Array(HostileRequest.request("X-Forwarded-For: 192.0.2.77\r\n").utf8)
        _ = state.received(bytes.span, now: 0)
        #expect(state.takeNewClient()?.description == "192.0.2.0/24")
        #expect(state.takeNewClient() == nil)
        _ = state.reply(closes: false, isDraining: false, now: 0)
        _ = state.sent(now: 0)
        #expect(state.client == nil)
    }

    // MARK: PROXY protocol

    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

    /// Builds a PROXY protocol header of version 2.
    private static func header(_ command: UInt8, _ family: UInt8, _ rest: [UInt8]) -> [UInt8] {
        signature + [command, family, UInt8(rest.count >> 8), UInt8(rest.count & 0xff)] + rest
    }

    private static let ipv4: [UInt8] = [192, 0, 2, 77, 10, 1, 1, 1, 0x12, 0x67, 0, 80]
    private static let ipv6: [UInt8] =
        [0x20, 1, 0x0d, 0xb8, 0, 1, 2, 0xff] + Array(repeating: 0, count: 7) + [1] + Array(repeating: 9, count: 20)

    @Test(arguments: [false, true])
    func `a PROXY header names the client of a connection`(_ byteByByte: Bool) {
        let good = Array(HostileRequest.good.utf8)
        let further: [UInt8] = [3, 0, 4, 1, 2, 3, 4]
        let rows: [([UInt8], String?)] = [
            (Self.header(0x21, 0x11, Self.ipv4), "192.0.2.0/24"),
            (Self.header(0x21, 0x11, Self.ipv4 + further), "192.0.2.0/24"),
            (Self.header(0x21, 0x21, Self.ipv6), "2001:db8:1:200::/56"),
            (Self.header(0x21, 0x11, [10, 9, 9, 9] + Self.ipv4.dropFirst(4)), nil),
            (Self.header(0x20, 0x00, []), nil), (Self.header(0x20, 0x11, Self.ipv4), nil),
            (Self.header(0x21, 0x31, Array(repeating: 0, count: 216)), nil),
        ]
        for (header, expected) in rows {
            #expect(client(header + good, .proxyProtocol, byteByByte: byteByByte) == expected)
            #expect(verdicts(header + good + good) == ["200:21", "200:21"])
        }
    }

    private func verdicts(_ bytes: [UInt8], isFromProxy: Bool = true) -> [String] {
        var wire = Wire(limits: limits(.proxyProtocol), isFromProxy: isFromProxy)
        wire.feed(bytes[...])
        return wire.verdicts
    }

    @Test func `a proxy that does not send the PROXY header is refused`() {
        let good = Array(HostileRequest.good.utf8)
        let rows: [[UInt8]] = [
            good, Array("PROXY TCP4 192.0.2.77 10.1.1.1 4711 80\r\n".utf8) + good,
            Self.header(0x11, 0x11, Self.ipv4) + good, Self.header(0x22, 0x11, Self.ipv4) + good,
            Self.header(0x21, 0x11, Array(Self.ipv4.dropLast())) + good,
            Self.header(0x21, 0x21, Array(Self.ipv6.dropLast())) + good,
            Self.header(0x21, 0x00, Array(repeating: 0, count: 2049)) + good,
        ]
        for bytes in rows { #expect(verdicts(bytes) == ["400 proxy_header", "closed"]) }
        let header = Self.header(0x21, 0x11, Self.ipv4)
        for index in Self.signature.indices {
            var other = header
            other[index] ^= 1
            #expect(verdicts(other + good) == ["400 proxy_header", "closed"])
        }
        for count in header.indices { #expect(verdicts(Array(header[..<count])) == []) }
    }

    @Test func `an untrusted client that sends the PROXY header is refused`() {
        let bytes = Self.header(0x21, 0x11, Self.ipv4) + Array(HostileRequest.good.utf8)
        #expect(verdicts(bytes, isFromProxy: false) == ["400 framing", "closed"])
        #expect(verdicts(Array(HostileRequest.good.utf8), isFromProxy: false) == ["200:21"])
    }

    // MARK: Logs and limits

    @Test func `the log contains the network of the client`() async throws {
        var limits = limits(.xForwardedFor)
        limits.proxies.append(try #require(NetworkPrefix("127.0.0.0/8")))
        let server = try TestServer(limits: limits)
        let client = try server.connect()
        client.send(TestServer.echo("a", fields: "X-Forwarded-For: 192.0.2.77\r\n"))
        #expect(try client.response().status == 200)
        client.send(TestServer.echo("a"))
        #expect(try client.response().status == 200)
        client.send("POST /missing HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 198.51.100.1\r\n\r\n")
        #expect(try client.response().status == 404)
        #expect(
            server.decisions.values.map(\.network.description) == ["192.0.2.0/24", "127.0.0.0/24", "198.51.100.0/24"])
    }

    @Test func `requests from a client behind a proxy are limited like requests on direct connections`() async throws {
        var limits = limits(.xForwardedFor)
        limits.proxies.append(try #require(NetworkPrefix("127.0.0.0/8")))
        limits.connectsPerSecond = 1
        let server = try TestServer(limits: limits)
        func status(_ address: String) throws -> Int {
            let client = try server.connect()
            client.send(TestServer.echo("a", fields: "X-Forwarded-For: \(address)\r\n"))
            return try client.response().status
        }
        #expect(try (0..<3).map { _ in try status("192.0.2.77") } == [200, 200, 429])
        #expect(try status("198.51.100.1") == 200)
        // The proxy's own requests are not limited.
        #expect(try (0..<3).map { _ in try status("127.0.0.1") } == [200, 200, 200])
        #expect(server.verdicts.filter { $0 == "429 rate" }.count == 1)
        #expect(server.counters.refusedByRate == 1)
        server.clock.advance(by: .seconds(1))
        #expect(try status("192.0.2.77") == 200)
    }

    @Test(arguments: ["X-Forwarded-For: unknown\r\n", "X-Forwarded-For: 192.0.2.77, \r\n", ""])
    func `clients with unreadable addresses are limited together, by their proxy's network`(
        _ fields: String
    ) async throws {
        var limits = limits(.xForwardedFor)
        limits.proxies.append(try #require(NetworkPrefix("127.0.0.0/8")))
        limits.connectsPerSecond = 1
        let server = try TestServer(limits: limits)
        func status(_ fields: String) throws -> Int {
            let client = try server.connect()
            client.send(TestServer.echo("a", fields: fields))
            return try client.response().status
        }
        #expect(try (0..<3).map { _ in try status(fields) } == [200, 200, 429])
        #expect(try status("X-Forwarded-For: 198.51.100.1\r\n") == 200)
        #expect(server.decisions.values.first?.network.description == "127.0.0.0/24")
    }
}
