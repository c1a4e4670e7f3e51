import HTTPServer
import TestSupport
import Testing

/// Tests of too many connections and requests, oversized requests, and clients that disconnect.
@Suite(.timeLimit(.minutes(5)))
struct LoadTests {
    @Test func `at the connection limit, the longest-waiting first request is evicted`() async throws {
        var limits = Limits()
        limits.connections = 4
        let server = try TestServer(limits: limits)
        let waiting = try (0..<4).map { number in
            let client = try server.connect()
            client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n\(number)")
            return client
        }
        #expect(await eventually { server.counters.bodyBytes == 4 })
        let valid = try server.connect()
        valid.send(TestServer.echo("valid"))
        #expect(try valid.response().text == "valid")
        #expect(server.counters.evicted == 1)
        #expect(server.counters.connections == 4)
        #expect(server.verdicts == ["0 evicted", "200 ok"])
        withExtendedLifetime(waiting) {}
    }

    @Test func `a connection with a request in progress is not evicted`() async throws {
        var limits = Limits()
        limits.connections = 2
        let server = try TestServer(limits: limits)
        let working = try (0..<2).map { _ in
            let client = try server.connect()
            client.send(TestServer.get("/held"))
            return client
        }
        #expect(await eventually { server.held.values.count == 2 })
        #expect(try server.connect().isClosedByPeer())
        #expect(server.counters.refusedByCapacity == 1)
        for exchange in server.held.values { exchange.respond(.text("done")) }
        for client in working { #expect(try client.response().text == "done") }
    }

    @Test func `a request beyond the available slots is answered with 503`() async throws {
        var limits = Limits()
        limits.inFlight = 1
        let server = try TestServer(limits: limits)
        let first = try server.connect()
        first.send(TestServer.get("/held"))
        #expect(await eventually { server.held.values.count == 1 })
        let second = try server.connect()
        second.send(TestServer.get("/held"))
        #expect(try second.response().status == 503)
        #expect(second.isClosedByPeer())
        server.held.values[0].respond(.text("done"))
        #expect(try first.response().text == "done")
        let third = try server.connect()
        third.send(TestServer.get("/text"))
        #expect(try third.response().status == 200)
        #expect(server.verdicts == ["503 overload", "200 ok", "200 ok"])
    }

    @Test func `over the byte limit, the body that has been arriving longest is aborted`() async throws {
        var limits = Limits()
        limits.bodyBytes = 1000
        let server = try TestServer(limits: limits)
        func send(_ count: Int) throws -> TestConnection {
            let client = try server.connect()
            client.send(
                "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n" + String(repeating: "x", count: count))
            return client
        }
        let oldest = try send(600)
        #expect(await eventually { server.counters.bodyBytes == 600 })
        server.clock.advance(by: .seconds(1))
        let newest = try send(500)
        #expect(try oldest.response().status == 503)
        #expect(await eventually { server.counters.bodyBytes == 500 })
        newest.send(String(repeating: "x", count: 400))
        #expect(try newest.response().body.count == 900)
        #expect(server.verdicts == ["503 memory", "200 ok"])
    }

    @Test func `bytes read ahead of a request in progress are also counted, and are aborted first`() async throws {
        var limits = Limits()
        limits.bodyBytes = 1000
        let server = try TestServer(limits: limits)
        let body = try server.connect()
        body.send(
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n" + String(repeating: "x", count: 600))
        #expect(await eventually { server.counters.bodyBytes == 600 })
        server.clock.advance(by: .seconds(1))
        let ahead = try server.connect()
        ahead.send(TestServer.get("/held"))
        #expect(await eventually { server.held.values.count == 1 })
        ahead.send(String(repeating: "x", count: 300))
        #expect(await eventually { server.counters.bodyBytes == 900 })
        ahead.send(String(repeating: "x", count: 200))
        #expect(try ahead.response().status == 503)
        #expect(await eventually { server.counters.bodyBytes == 600 })
        body.send(String(repeating: "x", count: 300))
        #expect(try body.response().body.count == 900)
        #expect(server.verdicts == ["503 memory", "200 ok"])
    }

    @Test func `bytes read ahead of a request are no longer counted when its connection is closed`() async throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(TestServer.get("/held") + String(repeating: "x", count: 300))
        #expect(await eventually { server.counters.bodyBytes == 300 })
        client.reset()
        #expect(await eventually { server.counters.bodyBytes == 0 })
    }

    @Test func `the rate of new connections from a network is limited`() async throws {
        var limits = Limits()
        limits.connectsPerSecond = 1
        let server = try TestServer(limits: limits)
        let admitted = try (0..<2).map { _ in try server.connect() }
        #expect(try server.connect().isClosedByPeer())
        #expect(server.counters.refusedByRate == 1)
        #expect(server.decisions.values.map(\.network.description) == ["127.0.0.0/24"])
        server.clock.advance(by: .seconds(1))
        let later = try server.connect()
        later.send(TestServer.get("/"))
        #expect(try later.response().status == 200)
        withExtendedLifetime(admitted) {}
    }

    @Test func `the networks of proxies are not rate-limited`() throws {
        var limits = Limits()
        limits.connectsPerSecond = 1
        limits.proxies = [try #require(NetworkPrefix("127.0.0.0/8"))]
        let server = try TestServer(limits: limits)
        for _ in 0..<10 {
            let client = try server.connect()
            client.send(TestServer.get("/"))
            #expect(try client.response().status == 200)
        }
    }

    @Test func `clients that disconnect at any moment leak nothing`() async throws {
        let body = [UInt8](repeating: 0, count: 200_000)
        let (closing, resetting) = (Recorder<Exchange>(), Recorder<Exchange>())
        let server = try TestServer { request, exchange in
            switch request.head.query {
            case "closing": closing.append(exchange)
            case "resetting": resetting.append(exchange)
            default: exchange.respond(HTTPResponse(status: 200, reason: "ok", body: body))
            }
        }
        let post = TestServer.echo(String(repeating: "x", count: 5000))
        var random = SeededGenerator(seed: 3)
        var awaited = 0
        for number in 0..<200 {
            let resets = Bool.random(using: &random)
            let request =
                switch number % 3 {
                case 0: post
                case 1: TestServer.get("/")
                default: TestServer.get(resets ? "/wait?resetting" : "/wait?closing")
                }
            let bytes = Array(request.utf8)
            let sent = bytes.prefix(Int.random(in: 1...(bytes.count * 2), using: &random))
            let client = try server.connect()
            client.send(Array(sent))
            if resets { client.reset() } else { client.close() }
            if number % 3 == 2, !resets, sent.count == bytes.count { awaited += 1 }
        }
        // A client that disconnected during its request may only have closed its sending side, so the connection waits
        // for the response. All other connections are closed, although the clock does not advance and no deadline
        // passes.
        #expect(awaited > 0)
        #expect(
            await eventually {
                let counters = server.counters
                return counters.accepted == 200 && counters.connections == awaited && closing.values.count == awaited
            })
        // A slot is occupied until the response is sent.
        #expect(await eventually { server.counters.inFlight == awaited + resetting.values.count })
        for exchange in closing.values + resetting.values { exchange.respond(.text("none")) }
        #expect(await eventually { server.counters.inFlight == 0 && server.counters.connections == 0 })
        #expect(server.counters.bodyBytes == 0)
        #expect(server.counters.unsentBytes == 0)
        #expect(server.counters.responsesDropped == resetting.values.count)
        let valid = try server.connect()
        valid.send(TestServer.echo("valid"))
        #expect(try valid.response().text == "valid")
    }
}
