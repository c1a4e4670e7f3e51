import HTTPClient
import HTTPServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPClientTests {
    // MARK: Requests and responses

    @Test func `method, target, fields and body are sent, and the response is returned`() async throws {
        let server = try EchoServer()
        let client = HTTPClient()
        let response = try await client.send(
            HTTPClientRequest(
                method: "PUT", url: server.url("/echo?a=b"), headers: [("X-One", "1"), ("X-Empty", "")],
                body: Array("hello".utf8)))
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self) == "PUT /echo?a=b 1  - hello")
        #expect(response.header("content-type") == "text/plain")
    }

    @Test(arguments: ["GET", "DELETE", "POST", "PATCH"])
    func `a request without a body is sent`(_ method: String) async throws {
        let server = try EchoServer()
        let response = try await HTTPClient().send(HTTPClientRequest(method: method, url: server.url("/none")))
        #expect(String(decoding: response.body, as: UTF8.self) == "\(method) /none - - - ")
    }

    @Test func `a response to HEAD has no body`() async throws {
        let server = try EchoServer()
        let response = try await HTTPClient().send(HTTPClientRequest(method: "HEAD", url: server.url("/large")))
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
        #expect(response.header("Content-Length") == "1000000")
    }

    @Test func `the last of several fields is found regardless of case`() {
        let response = HTTPClientResponse(status: 200, headers: [("X-A", "1"), ("x-a", "2"), ("X-B", "3")], body: [])
        #expect(response.header("X-a") == "2")
        #expect(response.header("x-c") == nil)
    }

    @Test func `a redirect is returned and not followed`() async throws {
        let server = try EchoServer()
        let response = try await HTTPClient().send(HTTPClientRequest(url: server.url("/redirect")))
        #expect(response.status == 302)
        #expect(response.header("location") == "/none")
        #expect(server.requests.count == 1)
    }

    @Test func `a connection is reused`() async throws {
        let server = try EchoServer()
        let client = HTTPClient()
        var reused: [Bool] = []
        for _ in 0..<3 {
            reused.append(try await client.send(HTTPClientRequest(url: server.url("/none"))).reusedConnection)
        }
        #expect(reused == [false, true, true])
        #expect(server.server.counters[0].accepted == 1)
    }

    @Test func `many concurrent requests are all answered`() async throws {
        let server = try EchoServer()
        let client = HTTPClient()
        let url = server.url("/none")
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await client.send(HTTPClientRequest(url: url)).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 100))
    }

    @Test func `a completion is called exactly once`() async throws {
        let server = try EchoServer()
        let client = HTTPClient()
        let result = await withCheckedContinuation { continuation in
            client.send(HTTPClientRequest(url: server.url("/none"))) { continuation.resume(returning: $0) }
        }
        #expect(try result.get().status == 200)
    }

    // MARK: Errors

    private func error(_ client: HTTPClient, _ request: HTTPClientRequest) async -> HTTPClientError? {
        do throws(HTTPClientError) {
            _ = try await client.send(request)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a response that is not received in time is an error`() async throws {
        let server = try EchoServer()
        let begun = ContinuousClock.now
        let error = await error(
            HTTPClient(), HTTPClientRequest(url: server.url("/never"), timeout: .milliseconds(100)))
        #expect(error?.code == .timedOut)
        #expect(error?.isRetriable == true)
        #expect(begun.duration(to: .now) >= .milliseconds(90))
    }

    @Test func `a request with an expired deadline is not sent`() async throws {
        let server = try EchoServer()
        let error = await error(HTTPClient(), HTTPClientRequest(url: server.url("/none"), timeout: .seconds(-1)))
        #expect(error?.code == .timedOut)
        #expect(server.requests.count == 0)
    }

    @Test(arguments: [(999_999, false), (1_000_000, true)])
    func `a body over its limit is an error`(_ limit: Int, _ fits: Bool) async throws {
        let server = try EchoServer()
        let error = await error(
            HTTPClient(), HTTPClientRequest(url: server.url("/large"), maximumBodyBytes: limit))
        #expect(error?.code == (fits ? nil : .bodyTooLarge))
    }

    @Test func `a refused connection is retriable`() async throws {
        let server = try EchoServer()
        let url = server.url("/secret?token=abc")
        await server.server.drain(within: .milliseconds(1))
        let error = await error(HTTPClient(), HTTPClientRequest(url: url))
        #expect(error?.code == .connectionFailed)
        #expect(error?.isRetriable == true)
        #expect(error?.message.contains("http://127.0.0.1:") == true)
        #expect(error?.message.contains("secret") == false && error?.message.contains("abc") == false)
    }

    @Test func `a server without TLS is a TLS error`() async throws {
        let server = try EchoServer()
        let url = server.url("/none").replacing("http:", with: "https:")
        #expect(await error(HTTPClient(), HTTPClientRequest(url: url))?.code == .tls)
    }

    @Test(
        arguments: [
            "", "127.0.0.1", "ftp://127.0.0.1/", "file:///etc/hosts", "http://", "https:///x", "http://a b/",
            "http://127.0.0.1/\r\nX: y", "http://user@", "http://127.0.0.1:99999999/", "gopher://a", "http://ä/",
        ])
    func `a URL that is not absolute http or https is refused`(_ url: String) async {
        #expect(await error(HTTPClient(), HTTPClientRequest(url: url))?.code == .invalidURL)
    }

    @Test(arguments: [("X-A", "1\r\nX-B: 2"), ("X-A", "\0"), ("X A", "1"), ("", "1"), ("X-A:", "1")])
    func `a field that would corrupt the head is refused`(_ name: String, _ value: String) async throws {
        let request = HTTPClientRequest(url: "http://127.0.0.1:1/", headers: [(name, value)])
        #expect(await error(HTTPClient(), request)?.code == .invalidRequest)
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\nX: y", "G T"])
    func `a method that is not a token is refused`(_ method: String) async {
        let request = HTTPClientRequest(method: method, url: "http://127.0.0.1:1/")
        #expect(await error(HTTPClient(), request)?.code == .invalidRequest)
    }

    @Test func `requests over the client's limit are refused`() async throws {
        let server = try EchoServer()
        let client = HTTPClient(HTTPClient.Configuration(maximumInFlight: 1))
        let first = client.send(HTTPClientRequest(url: server.url("/never"))) { _ in }
        #expect(await error(client, HTTPClientRequest(url: server.url("/none")))?.code == .overloaded)
        client.cancel(first)
    }

    // MARK: Cancellation and closing

    @Test func `cancelling the task ends the transfer`() async throws {
        let server = try EchoServer()
        let client = HTTPClient()
        let url = server.url("/never")
        let code = await withTaskGroup(of: HTTPClientError.Code?.self) { group in
            group.addTask { await error(client, HTTPClientRequest(url: url))?.code }
            #expect(await eventually { server.requests.count == 1 })
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(code == .cancelled)
        #expect(await eventually { server.server.counters[0].connections == 0 })
    }

    @Test func `a cancelled task sends no request`() async throws {
        let server = try EchoServer()
        let client = HTTPClient()
        let url = server.url("/none")
        let code = await withTaskGroup(of: HTTPClientError.Code?.self) { group in
            group.cancelAll()
            group.addTask { await error(client, HTTPClientRequest(url: url))?.code }
            return await group.next() ?? nil
        }
        #expect(code == .cancelled)
        #expect(server.requests.count == 0)
    }

    @Test func `closing ends running transfers and refuses new requests`() async throws {
        let server = try EchoServer()
        let client = HTTPClient()
        let url = server.url("/never")
        async let first = error(client, HTTPClientRequest(url: url))
        #expect(await eventually { server.requests.count == 1 })
        client.close()
        #expect(await first?.code == .closed)
        #expect(await error(client, HTTPClientRequest(url: url))?.code == .closed)
    }
}
