import HTTPServer
import TestSupport
import Testing

/// Tests that a response for a disconnected client is discarded and never sent to the client that reuses the slot.
@Suite(.timeLimit(.minutes(5)))
struct LateAnswerTests {
    @Test func `a response for a disconnected client is not sent to the next one`() async throws {
        let server = try TestServer()
        let gone = try server.connect()
        gone.send(TestServer.get("/held"))
        #expect(await eventually { server.held.values.count == 1 })
        gone.reset()
        #expect(await eventually { server.counters.connections == 0 })
        let next = try server.connect()
        next.send(TestServer.get("/held"))
        #expect(await eventually { server.held.values.count == 2 })
        server.held.values[0].respond(.text("for the one before"))
        #expect(await eventually { server.counters.responsesDropped == 1 })
        server.held.values[1].respond(.text("for the next one"))
        #expect(try next.response().text == "for the next one")
        #expect(await eventually { server.counters.inFlight == 0 })
    }

    @Test func `a reset replaces the response and releases the slot`() async throws {
        let server = try TestServer()
        let connection = try server.connect()
        connection.send(TestServer.get("/held"))
        #expect(await eventually { server.held.values.count == 1 })
        server.held.values[0].reset()
        #expect(throws: (any Error).self) { try connection.response() }
        #expect(await eventually { server.counters.inFlight == 0 && server.counters.connections == 0 })
        #expect(server.verdicts == ["0 reset"])
        server.held.values[0].respond(.text("too late"))
        #expect(await eventually { server.counters.responsesDropped == 1 })
    }
}
