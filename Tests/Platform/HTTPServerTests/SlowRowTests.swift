import HTTPServer
import TestSupport
import Testing

/// The specification's twelve slow rows: slow clients over a socket, with a clock controlled by the test.
@Suite(.timeLimit(.minutes(5))) struct SlowRowTests {
    /// A client that sends single bytes at an interval. No byte may extend a deadline.
    struct Trickle: Sendable, CustomTestStringConvertible {
        let id: String
        let title: String
        /// A complete request to send first. Its response is read.
        var served = ""
        let first: String
        /// The interval between two bytes; `nil` if nothing follows.
        let gap: Duration?
        let limit: Duration
        let decisions: [String]

        var testDescription: String { "\(id) \(title)" }
    }

    static let trickles: [Trickle] = [
        Trickle(
            id: "H-15", title: "a head at 1 byte in 5 s", first: "POST /ec", gap: .seconds(5), limit: .seconds(10),
            decisions: ["0 slow"]),
        Trickle(
            id: "H-15", title: "a field at 1 byte in 0.2 s", first: "POST /echo HTTP/1.1\r\nX: ",
            gap: .milliseconds(200), limit: .seconds(10), decisions: ["0 slow"]),
        Trickle(
            id: "H-15", title: "a second head at 1 byte in 0.2 s", served: TestServer.echo("x"), first: "POST /ec",
            gap: .milliseconds(200), limit: .seconds(10), decisions: ["0 slow"]),
        Trickle(
            id: "H-16", title: "a body at 1 byte in 5 s", first: halfSent, gap: .seconds(5), limit: .seconds(15),
            decisions: ["408 slow"]),
        Trickle(
            id: "H-16", title: "a body at 1 byte in 0.2 s", first: halfSent, gap: .milliseconds(200),
            limit: .seconds(15), decisions: ["408 slow"]),
        Trickle(
            id: "H-16", title: "a chunk at 1 byte in 0.2 s",
            first: "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n{",
            gap: .milliseconds(200), limit: .seconds(15), decisions: ["408 slow"]),
        Trickle(
            id: "H-16", title: "a body that stops", first: halfSent, gap: nil, limit: .seconds(15),
            decisions: ["408 slow"]),
        Trickle(
            id: "idle", title: "silence after an answer", served: TestServer.echo("x"), first: "", gap: nil,
            limit: .seconds(30), decisions: []),
    ]

    private static let halfSent = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{"

    @Test func `there are twelve slow rows`() {
        // The other rows are the crowds of silent and half-sent connections, H-15 to H-17.
        #expect(Self.trickles.count + 2 * Self.crowds.count == 12)
    }

    @Test(arguments: trickles)
    func `no received byte extends a deadline`(_ row: Trickle) throws {
        let server = try TestServer()
        let other = try server.connect()
        let client = try server.connect()
        if !row.served.isEmpty {
            client.send(row.served)
            #expect(try client.response().status == 200)
        }
        client.send(row.first)
        try settle(other)
        var left = row.limit
        let step = row.gap ?? row.limit / 4
        while left > step {
            server.clock.advance(by: step)
            left -= step
            if row.gap != nil { client.send("x") }
            try settle(other)
            #expect(server.counters.connections == 2, "closed \(left) early")
        }
        server.clock.advance(by: left - .milliseconds(1))
        try settle(other)
        #expect(server.counters.connections == 2, "closed early")
        server.clock.advance(by: .milliseconds(200))
        try settle(other)
        if row.decisions == ["408 slow"] { #expect(try client.response().status == 408) }
        #expect(client.isClosedByPeer())
        #expect(server.verdicts.filter { $0 != "200 ok" } == row.decisions)
    }

    /// Awaits two responses on another connection. After the second one, the loop has read everything sent earlier, and
    /// has checked every deadline.
    private func settle(_ other: TestConnection) throws {
        for _ in 0..<2 {
            other.send(TestServer.get("/text"))
            #expect(try other.response().status == 200)
        }
    }

    struct Crowd: Sendable, CustomTestStringConvertible {
        let title: String
        let bytes: String
        let limit: Duration
        let decision: String

        var testDescription: String { title }
    }

    static let crowds: [Crowd] = [
        Crowd(title: "2,000 silent connections", bytes: "", limit: .seconds(10), decision: "0 idle"),
        Crowd(title: "2,000 half-sent bodies", bytes: halfSent, limit: .seconds(15), decision: "408 slow"),
    ]

    /// H-15 to H-17.
    @Test(.enabled(if: allowDescriptors(4096), "needs 4,096 descriptors"), arguments: crowds)
    func `many waiting connections do not delay others and are closed at their deadlines`(_ crowd: Crowd) async throws {
        let server = try TestServer()
        let waiting = try (0..<2000).map { _ in
            let client = try server.connect()
            client.send(crowd.bytes)
            // The first client has been waiting longest.
            server.clock.advance(by: .milliseconds(1))
            return client
        }
        for number in 0..<40 {
            let valid = try server.connect()
            valid.send(TestServer.echo("valid \(number)"))
            #expect(try valid.response().text == "valid \(number)")
        }
        #expect(server.counters.connections <= Limits().connections)
        server.clock.advance(by: crowd.limit)
        // Connections over the limit were evicted, and all others reached their deadlines.
        #expect(
            await eventually {
                server.verdicts.filter { $0 == crowd.decision }.count + server.counters.evicted == 2000
            })
        for client in waiting {
            while let response = try? client.response() { #expect(response.status == 408) }
            client.close()
        }
        #expect(await eventually { server.counters.connections == 0 })
        #expect(server.counters.accepted == 2040)
        #expect((977...1016).contains(server.counters.evicted))
        #expect(server.verdicts.filter { $0 == "200 ok" }.count == 40)
    }
}
