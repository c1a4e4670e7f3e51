import HTTPServer
import TestSupport
import Testing

/// Tests that a response to HEAD ends after the head. An extra byte would be read as the beginning of the next
/// response.
@Suite(.timeLimit(.minutes(5)))
struct HeadMethodTests {
    @Test(arguments: [4, 20_000, 200_000])
    func `the next response follows directly after a response to HEAD`(_ count: Int) throws {
        let server = try TestServer { _, exchange in
            exchange.respond(HTTPResponse(status: 200, reason: "ok", body: [UInt8](repeating: 0x78, count: count)))
        }
        let client = try server.connect()
        client.send(TestServer.get("/", method: "HEAD") + TestServer.get("/"))
        let head = try client.response(hasBody: false)
        #expect(head.status == 200)
        let next = try client.response()
        #expect(next.status == 200)
        #expect(next.body.count == count)
    }
}
