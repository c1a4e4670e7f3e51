import HTTPServer
import TestSupport
import Testing

/// Tests which connection is evicted when the limit is exceeded.
@Suite(.timeLimit(.minutes(5)))
struct EvictionTests {
    private func makeServer() throws -> TestServer {
        var limits = Limits()
        limits.connections = 2
        return try TestServer(limits: limits)
    }

    /// Opens a connection that has sent its head and one of two body bytes, one second after the previous event.
    private func sendHalf(to server: TestServer, bodyBytes: Int) async throws -> TestConnection {
        server.clock.advance(by: .seconds(1))
        let client = try server.connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na")
        #expect(await eventually { server.counters.bodyBytes == bodyBytes })
        return client
    }

    private func expectAnswer(to client: TestConnection) throws {
        client.send(TestServer.get("/"))
        #expect(try client.response().status == 200)
    }

    @Test func `the client with the slowest first request is evicted`() async throws {
        let server = try makeServer()
        let older = try await sendHalf(to: server, bodyBytes: 1)
        let newer = try await sendHalf(to: server, bodyBytes: 2)
        try expectAnswer(to: try server.connect())
        #expect(older.isClosedByPeer())
        newer.send("b")
        #expect(try newer.response().text == "ab")
    }

    @Test func `an idle connection that was served before is evicted before an incoming first request`() async throws {
        let server = try makeServer()
        let begun = try await sendHalf(to: server, bodyBytes: 1)
        server.clock.advance(by: .seconds(1))
        let served = try server.connect()
        try expectAnswer(to: served)
        try expectAnswer(to: try server.connect())
        #expect(served.isClosedByPeer())
        begun.send("b")
        #expect(try begun.response().text == "ab")
    }

    @Test func `an incoming first request is evicted before a later request of a served connection`() async throws {
        let server = try makeServer()
        let served = try server.connect()
        try expectAnswer(to: served)
        served.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na")
        #expect(await eventually { server.counters.bodyBytes == 1 })
        let begun = try await sendHalf(to: server, bodyBytes: 2)
        try expectAnswer(to: try server.connect())
        #expect(begun.isClosedByPeer())
        served.send("b")
        #expect(try served.response().text == "ab")
    }

    @Test func `clients that fill the limit with answered requests do not exclude a slow new client`() async throws {
        let server = try makeServer()
        var crowd = try (0..<2).map { _ in try server.connect() }
        for client in crowd { try expectAnswer(to: client) }
        let newcomer = try await sendHalf(to: server, bodyBytes: 1)
        for _ in 0..<5 {
            server.clock.advance(by: .seconds(1))
            let client = try server.connect()
            try expectAnswer(to: client)
            crowd.append(client)
        }
        newcomer.send("b")
        #expect(try newcomer.response().text == "ab")
    }

    @Test func `among served connections, the one that has been idle longest is evicted`() async throws {
        let server = try makeServer()
        let older = try server.connect()
        try expectAnswer(to: older)
        server.clock.advance(by: .seconds(1))
        let newer = try server.connect()
        try expectAnswer(to: newer)
        server.clock.advance(by: .seconds(1))
        try expectAnswer(to: try server.connect())
        #expect(older.isClosedByPeer())
        try expectAnswer(to: newer)
    }
}
