import HTTPServer
import Testing

/// Tests that the decision about a request head does not depend on later bytes.
struct AdmissionTests {
    private func refusal(_ admission: Admission, _ fields: String) -> HTTPResponse? {
        var state = ConnectionState(rules: ConnectionRules(limits: Limits()) { _ in admission }, now: 0)
        let bytes = Array("GET /metrics HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
        guard case .refuse(let answer) = state.received(bytes.span, now: 0) else { return nil }
        return answer
    }

    @Test(arguments: ["Content-Length: 1\r\n", "Transfer-Encoding: chunked\r\n"])
    func `a body that the route does not accept is refused before it is received`(_ fields: String) throws {
        let answer = try #require(refusal(.noBody, fields))
        #expect(answer.status == 413)
        #expect(answer.reason == "too_large")
        #expect(answer.closes)
    }

    @Test(arguments: ["", "Content-Length: 0\r\n"])
    func `a request without a body is accepted by a route that accepts none`(_ fields: String) {
        #expect(refusal(.noBody, fields) == nil)
    }

    @Test func `a request refused by its head is refused before its body is received`() throws {
        let answer = try #require(refusal(.refuse(status: 404, reason: "path"), "Content-Length: 100\r\n"))
        #expect(answer.status == 404)
        #expect(answer.closes)
    }

    @Test func `a wrong method is refused with the allowed one, and the connection is closed`() throws {
        let answer = try #require(refusal(.methodNotAllowed(allow: "POST"), "Content-Length: 100\r\n"))
        #expect(answer.status == 405)
        #expect(answer.headers.contains { $0.name == "Allow" && $0.value == "POST" })
        #expect(answer.closes)
    }

    @Test func `a request without credentials is challenged before its body is received`() throws {
        let answer = try #require(refusal(.unauthorized(challenge: "Bearer"), "Content-Length: 100\r\n"))
        #expect(answer.status == 401)
        #expect(answer.headers.contains { $0.name == "WWW-Authenticate" && $0.value == "Bearer" })
        #expect(answer.closes)
    }

    @Test(arguments: ["", "Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n\r\n0\r\n"])
    func `a request without a body is accepted if the body is optional`(_ fields: String) {
        #expect(refusal(.optionalBody(limit: 4), fields) == nil)
        #expect(refusal(.body(limit: 4), fields)?.reason == "empty")
    }

    @Test func `an optional body is limited in size`() {
        #expect(refusal(.optionalBody(limit: 4), "Content-Length: 4\r\n") == nil)
        #expect(refusal(.optionalBody(limit: 4), "Content-Length: 5\r\n")?.reason == "too_large")
        let chunks = "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n"
        #expect(refusal(.optionalBody(limit: 4), chunks)?.reason == "too_large")
    }
}
