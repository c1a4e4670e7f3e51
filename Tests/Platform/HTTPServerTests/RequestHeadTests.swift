import HTTPServer
import Testing

struct RequestHeadTests {
    private func head(_ text: String) throws -> RequestHead {
        final class Seen: Sendable { let heads = Recorder<RequestHead>() }
        let seen = Seen()
        var state = ConnectionState(
            rules: ConnectionRules(limits: Limits()) { head in
                seen.heads.append(head)
                return .noBody
            }, now: 0)
        let bytes = Array(text.utf8)
        _ = state.received(bytes.span, now: 0)
        return try #require(seen.heads.values.first)
    }

    @Test func `method, target, path and query are returned as sent`() throws {
        let head = try head("GET /v1/a%20b?x=1?y HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.method == "GET")
        #expect(head.target == "/v1/a%20b?x=1?y")
        #expect(head.path == "/v1/a%20b")
        #expect(head.query == "x=1?y")
        #expect(head.methodIs("GET") && !head.methodIs("GE") && !head.methodIs("GETS"))
        #expect(head.targetIs("/v1/a%20b?x=1?y") && !head.targetIs("/v1/a%20b"))
    }

    @Test func `a target without a question mark has no query`() throws {
        let head = try head("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.query == nil)
        #expect(head.path == "/livez")
    }

    @Test(
        arguments: [
            ("accept", "text/html, */*"), ("x-empty", ""), ("x-spaces", "a  b"), ("x-twice", "first"), ("x-a", "long"),
            ("host", "a"), ("x-high", "é"),
        ])
    func `a field is found by name regardless of case`(_ name: String, _ value: String) throws {
        let head = try head(
            "GET / HTTP/1.1\r\nHost: a\r\nX-AB: no\r\nACCEPT:text/html, */* \r\nX-Empty:\r\nx-spaces: \ta  b\t \r\n"
                + "X-Twice: first\r\nX-Twice: second\r\nX-A: long\r\nX-High: é\r\n\r\n")
        let found: String? =
            switch name {
            case "accept": head.header("accept")
            case "x-empty": head.header("x-empty")
            case "x-spaces": head.header("x-spaces")
            case "x-twice": head.header("x-twice")
            case "x-a": head.header("x-a")
            case "host": head.header("host")
            default: head.header("x-high")
            }
        #expect(found == value)
    }

    @Test func `an absent field is nil`() throws {
        let head = try head("GET / HTTP/1.1\r\nHost: a\r\nX-Long-Name: b\r\n\r\n")
        #expect(head.header("x-long") == nil)
        #expect(head.header("x-long-name-and-more") == nil)
        #expect(head.header("") == nil)
    }

    @Test func `only token bytes are accepted in a name`() {
        let tokens = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: ":") {
            let bytes = Array("GET /notifications HTTP/1.1\r\nHost: a\r\n".utf8) + [byte] + Array(": b\r\n\r\n".utf8)
            let isRefusal = Wire.verdicts(bytes) == ["400 framing", "closed"]
            #expect(isRefusal != tokens.contains(byte), "byte \(byte)")
        }
    }
}
