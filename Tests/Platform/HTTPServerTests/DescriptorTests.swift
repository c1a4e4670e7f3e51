import Foundation
import HTTPServer
import TestSupport
import Testing

/// Tests of new connections while the process has no free descriptors.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct DescriptorTests {
    @Test func `without descriptors, the longest-waiting first request is evicted, far below the limit`() async throws {
        let server = try TestServer()
        let waiting = try (0..<4).map { number in
            let client = try server.connect()
            client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n\(number)")
            return client
        }
        #expect(await eventually { server.counters.bodyBytes == 4 })
        let response = try withOneDescriptorLeft {
            // The client uses the last descriptor, so none is left for the server.
            let valid = try server.connect()
            valid.send(TestServer.echo("valid"))
            return try valid.response()
        }
        #expect(response.text == "valid")
        #expect(server.counters.evicted == 1)
        #expect(server.counters.acceptPauses == 0)
        #expect(waiting[0].isClosedByPeer())
    }

    @Test func `without descriptors, a new connection waits if all others have requests in progress`() async throws {
        let server = try TestServer()
        let working = try server.connect()
        working.send(TestServer.get("/held"))
        #expect(await eventually { server.held.values.count == 1 })
        let newcomer = try withOneDescriptorLeft { try server.connect() }
        newcomer.send(TestServer.echo("later"))
        #expect(try newcomer.response().text == "later")
        for exchange in server.held.values { exchange.respond(.text("done")) }
        #expect(try working.response().text == "done")
    }

    /// Runs `body` with exactly one descriptor left below the limit, and then restores the limit.
    private func withOneDescriptorLeft<Result>(_ body: () throws -> Result) throws -> Result {
        let free = dup(0)
        try #require(free >= 0)
        close(free)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var before = rlimit()
        try #require(getrlimit(resource, &before) == 0)
        // All descriptors below the lowest free one are in use.
        var after = before
        after.rlim_cur = rlim_t(free) + 1
        try #require(setrlimit(resource, &after) == 0)
        defer { setrlimit(resource, &before) }
        return try body()
    }
}
