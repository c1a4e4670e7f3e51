import HTTPServer
import TestSupport
import Testing

/// Who leaves when a connection comes that is one too many.
@Suite(.timeLimit(.minutes(5)))
struct EvictionTests {
    private func makeServer() throws -> TestServer {
        var limits = Limits()
        limits.connections = 2
        return try TestServer(limits: limits)
    }

    /// A connection that has sent its head and one byte of two, a second after whatever came before.
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

    @Test func `a connection that was served before stays while another has only started a request`() async throws {
        let server = try makeServer()
        let served = try server.connect()
        try expectAnswer(to: served)
        let begun = try await sendHalf(to: server, bodyBytes: 1)
        try expectAnswer(to: try server.connect())
        #expect(begun.isClosedByPeer())
        try expectAnswer(to: served)
    }

    @Test func `among served connections the longest idle one is evicted`() async throws {
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
