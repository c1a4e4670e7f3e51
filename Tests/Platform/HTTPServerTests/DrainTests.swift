import HTTPServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DrainTests {
    @Test func `a drain waits for requests in progress and announces the close`() async throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(TestServer.get("/held"))
        #expect(await eventually { server.held.values.count == 1 })
        async let drained: Void = server.server.drain(within: .seconds(8))
        let port = server.server.port()
        #expect(await eventually { (try? TestConnection(port: port)) == nil })
        server.held.values[0].respond(.text("done"))
        let response = try client.response()
        #expect(response.text == "done")
        #expect(response.head.contains("\r\nConnection: close\r\n"))
        #expect(client.isClosedByPeer())
        client.close()
        await drained
        #expect(server.counters.connections == 0)
    }

    @Test func `an idle connection does not delay a drain`() async throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(TestServer.echo("a"))
        #expect(try client.response().status == 200)
        await server.server.drain(within: .milliseconds(400))
        #expect(client.isClosedByPeer())
        #expect(server.verdicts == ["200 ok"])
    }

    @Test func `a request received during the grace period is answered, and idle connections close after it`()
        async throws
    {
        let clock = ManualClock()
        let server = try TestServer(drainClock: clock)
        let (client, idle) = (try server.connect(), try server.connect())
        for client in [client, idle] {
            client.send(TestServer.echo("a"))
            #expect(try client.response().status == 200)
        }
        async let drained: Void = server.server.drain(within: .seconds(8))
        let port = server.server.port()
        #expect(await eventually { (try? TestConnection(port: port)) == nil })
        client.send(TestServer.echo("b"))
        #expect(try client.response().head.contains("Connection: close"))
        #expect(client.isClosedByPeer())
        client.close()
        clock.advance(by: .seconds(1))
        #expect(idle.isClosedByPeer())
        await drained
        #expect(server.counters.connections == 0)
    }

    @Test func `a drain that still accepts connections answers them and announces the close`() async throws {
        let clock = ManualClock()
        let server = try TestServer(drainClock: clock)
        async let drained: Void = server.server.drain(within: .seconds(8), accepting: .seconds(2))
        // Until the drain has begun, responses keep the connection open.
        var head = ""
        while !head.contains("\r\nConnection: close\r\n") {
            let client = try server.connect()
            client.send(TestServer.echo("a"))
            head = try client.response().head
        }
        let newcomer = try server.connect()
        newcomer.send(TestServer.echo("b"))
        #expect(try newcomer.response().status == 200)
        newcomer.close()
        clock.advance(by: .seconds(2))
        let port = server.server.port()
        #expect(await eventually { (try? TestConnection(port: port)) == nil })
        clock.advance(by: .seconds(2))
        await drained
        #expect(server.verdicts.allSatisfy { $0 == "200 ok" })
    }

    @Test func `requests unfinished at the limit are dropped`() async throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(TestServer.get("/held"))
        #expect(await eventually { server.held.values.count == 1 })
        await server.server.drain(within: .milliseconds(50))
        #expect(client.isClosedByPeer())
        #expect(server.verdicts == ["0 drain"])
        // The loop has ended, so a late response has no effect.
        server.held.values[0].respond(.text("late"))
    }

    @Test func `every request sent before a drain under load receives a status`() async throws {
        let server = try TestServer()
        let clients = try (0..<20).map { _ in try server.connect() }
        for client in clients { client.send(TestServer.echo(String(repeating: "x", count: 2000))) }
        async let drained: Void = server.server.drain(within: .seconds(8))
        for client in clients {
            #expect(try client.response().status == 200)
            client.close()
        }
        await drained
        #expect(server.counters.requestsByStatus == [200: 20])
    }

    @Test func `several callers may wait for one drain, even after its end`() async throws {
        let server = try TestServer().server
        async let first: Void = server.drain(within: .seconds(1))
        async let second: Void = server.drain(within: .seconds(1))
        _ = await (first, second)
        await server.drain(within: .seconds(1))
    }
}
