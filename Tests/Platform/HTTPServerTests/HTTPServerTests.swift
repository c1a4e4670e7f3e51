import HTTPServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPServerTests {
    // MARK: Requests and responses

    @Test func `a connection is kept alive for further requests`() throws {
        let server = try TestServer()
        let client = try server.connect()
        for text in ["one", "two", "three"] {
            client.send(TestServer.echo(text))
            let response = try client.response()
            #expect(response.status == 200)
            #expect(response.text == text)
            #expect(!response.head.contains("Connection"))
        }
        #expect(server.counters.accepted == 1)
        #expect(server.counters.requestsByStatus == [200: 3])
    }

    @Test func `pipelined requests are answered in order`() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send((0..<100).map { TestServer.echo("\($0)") }.joined())
        for number in 0..<100 { #expect(try client.response().text == "\(number)") }
    }

    @Test func `a chunked body is received completely`() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        for piece in ["3\r\nabc", "\r\n1", "0\r\n0123456789", "abcdef\r\n0\r\n\r\n"] { client.send(piece) }
        #expect(try client.response().text == "abc0123456789abcdef")
    }

    @Test func `a client that closes its output still receives its response`() async throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(TestServer.get("/held"))
        client.endOutput()
        #expect(await eventually { server.held.values.count == 1 })
        server.held.values[0].respond(.text("late"))
        #expect(try client.response().text == "late")
        #expect(client.isClosedByPeer())
    }

    @Test func `a body over the limit is refused before it is received, without 100 Continue`() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 300000\r\n\r\n")
        let response = try client.response()
        #expect(response.status == 413)
        #expect(response.head.contains("\r\nConnection: close\r\n"))
        #expect(client.isClosedByPeer())
        #expect(server.verdicts == ["413 too_large"])
    }

    @Test func `a client that sends a body far over the limit still receives the refusal`() throws {
        let server = try TestServer()
        let client = try server.connect()
        let body = String(repeating: "x", count: 4_000_000)
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
        #expect(try client.response().status == 413)
    }

    @Test func `a client that expects 100 Continue receives it`() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(try client.response().status == 100)
        client.send("ab")
        #expect(try client.response().text == "ab")
    }

    @Test func `a wrong method is refused with the allowed one`() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(TestServer.get("/echo"))
        let response = try client.response()
        #expect(response.status == 405)
        #expect(response.head.contains("\r\nAllow: POST\r\n"))
        #expect(server.verdicts == ["405 method"])
    }

    @Test func `a response to HEAD has the length and no body`() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(TestServer.get("/text", method: "HEAD") + TestServer.get("/text"))
        let head = try client.response(hasBody: false)
        #expect(head.head.contains("\r\nContent-Length: 2\r\n"))
        #expect(try client.response().text == "ok")
    }

    @Test func `a response head has a date, no server name and no injected field`() throws {
        let server = try TestServer { request, exchange in
            let value = "1\r\nX-Injected: 2"
            exchange.respond(
                HTTPResponse(
                    status: 200, reason: "ok",
                    headers: [("X-Good", "3"), ("X-Bad", value), (value, "4"), ("", "5")], body: [1]))
        }
        let client = try server.connect()
        client.send(TestServer.get("/"))
        let head = try client.response().head
        let date = try #require(head.split(separator: "\r\n").first { $0.hasPrefix("Date: ") })
        #expect(date.hasSuffix(" GMT") && date.count == "Date: Sun, 06 Nov 1994 08:49:37 GMT".count)
        #expect(head.contains("\r\nX-Good: 3\r\n"))
        #expect(!head.contains("Injected") && !head.contains("X-Bad") && !head.contains("Server"))
    }

    @Test func `a slow reader receives the whole of a large response`() async throws {
        let body = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let server = try TestServer { $1.respond(HTTPResponse(status: 200, reason: "ok", body: body)) }
        let client = try TestConnection(port: server.server.port(), receiveBuffer: 4096)
        client.send(TestServer.get("/") + TestServer.get("/"))
        #expect(await eventually { server.counters.unsentBytes > 0 })
        #expect(try client.response().body == body)
        #expect(try client.response().body == body)
        #expect(await eventually { server.counters.unsentBytes == 0 })
    }

    @Test func `unread responses are limited in size`() async throws {
        var limits = Limits()
        limits.unsentBytes = 1_000_000
        let body = [UInt8](repeating: 0, count: 8_000_000)
        let server = try TestServer(limits: limits) { $1.respond(HTTPResponse(status: 200, reason: "ok", body: body)) }
        let client = try TestConnection(port: server.server.port(), receiveBuffer: 4096)
        client.send(TestServer.get("/"))
        #expect(await eventually { server.counters.accepted == 1 && server.counters.connections == 0 })
        #expect(server.counters.unsentBytes == 0)
    }

    @Test func `one callback follows all requests read in one pass`() async throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(TestServer.get("/held"))
        #expect(await eventually { server.passes.values.count == 1 })
        #expect(server.held.values.count == 1)
    }

    // MARK: Deadlines

    @Test func `a body that is not received in time is answered with 408`() async throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nab")
        #expect(await eventually { server.counters.bodyBytes == 2 })
        server.clock.advance(by: .seconds(15))
        #expect(try client.response().status == 408)
        #expect(server.verdicts == ["408 slow"])
        #expect(server.counters.bodyDeadlines == 1)
        #expect(await eventually { server.counters.bodyBytes == 0 })
    }

    @Test func `a late response is dropped and releases its slot`() async throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(TestServer.get("/held"))
        #expect(await eventually { server.counters.inFlight == 1 })
        server.clock.advance(by: .seconds(5))
        #expect(try client.response().status == 503)
        #expect(server.counters.inFlight == 1)
        let exchange = try #require(server.held.values.first)
        exchange.respond(.text("late"))
        #expect(await eventually { server.counters.inFlight == 0 && server.counters.responsesDropped == 1 })
        exchange.respond(.text("again"))
        #expect(await eventually { server.counters.responsesDropped == 2 })
        #expect(server.counters.inFlight == 0)
        #expect(server.verdicts == ["503 deadline"])
    }

    @Test func `the first response wins`() async throws {
        let server = try TestServer {
            $1.respond(.text("first"))
            $1.respond(.text("second"))
        }
        let client = try server.connect()
        client.send(TestServer.get("/") + TestServer.get("/"))
        #expect(try client.response().text == "first")
        #expect(try client.response().text == "first")
        #expect(await eventually { server.counters.responsesDropped == 2 })
    }

    @Test func `a silent connection is closed and reported as idle`() async throws {
        let server = try TestServer()
        let client = try server.connect()
        #expect(await eventually { server.counters.connections == 1 })
        server.clock.advance(by: .seconds(10))
        #expect(client.isClosedByPeer())
        #expect(server.verdicts == ["0 idle"])
    }

    // MARK: Start

    @Test func `the error for a busy port names the port`() throws {
        let first = try TestServer()
        let port = first.server.port()
        let second = HTTPServer(listeners: [
            Listener(
                name: "x", host: "127.0.0.1", port: port, limits: .admin, admit: { _ in .noBody }, handle: { _, _ in })
        ])
        let error = #expect(throws: HTTPServerError.self) { try second.start() }
        #expect(error?.code == .addressInUse)
        #expect(error?.port == port)
        #expect(error?.message.contains("127.0.0.1:\(port)") == true)
    }

    @Test(arguments: ["", "example.invalid", "192.0.2.1", "300.0.0.1"])
    func `a host that is not an address of this machine is an error`(_ host: String) {
        let server = HTTPServer(listeners: [
            Listener(name: "x", host: host, port: 0, limits: .admin, admit: { _ in .noBody }, handle: { _, _ in })
        ])
        let error = #expect(throws: HTTPServerError.self) { try server.start() }
        #expect(error?.code == .badHost)
    }

    @Test func `a server can be started only once`() throws {
        let server = try TestServer()
        #expect(throws: HTTPServerError.self) { try server.server.start() }
    }

    @Test func `several listeners can share one server`() throws {
        let listeners = (0..<2).map { number in
            Listener(
                name: "x", host: number == 0 ? "localhost" : "127.0.0.1", port: 0, limits: .admin,
                admit: { _ in .noBody }, handle: { $1.respond(.text("\(number)")) })
        }
        let server = HTTPServer(listeners: listeners)
        try server.start()
        for number in 0..<2 {
            let client = try TestConnection(port: server.port(of: number))
            client.send(TestServer.get("/"))
            #expect(try client.response().text == "\(number)")
        }
    }
}
