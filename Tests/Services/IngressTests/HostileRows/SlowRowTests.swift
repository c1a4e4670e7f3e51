import AppStoreTestSupport
import Kafka
import KafkaDevBroker
import TestSupport
import Testing

@testable import Ingress

/// H-15 to H-17 and H-27 against a complete ingress, with a manual clock.
@Suite(.timeLimit(.minutes(5))) struct SlowRowTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let id: String
        let sent: String
        let limit: Duration
        let outcome: Outcome
        var testDescription: String { "\(id) \(outcome)" }
    }

    static let rows: [Row] = [
        Row(id: "H-15", sent: "POST /notif", limit: .seconds(10), outcome: .closed(0, "slow")),
        Row(
            id: "H-16", sent: "POST /notifications HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{",
            limit: .seconds(15), outcome: .closed(408, "slow")),
        Row(id: "H-17", sent: "", limit: .seconds(10), outcome: .closed(0, "idle")),
    ]

    @Test(arguments: rows)
    func `a slow client is disconnected and counted`(_ row: Row) async throws {
        let broker = try DevBroker()
        let clock = ManualClock()
        try await IngressHarness.with(broker, clocks: TestTime.standing(clock)) { harness async throws in
            let run = try HostileRun(harness)
            let clients = try (0..<20).map { _ in
                let client = try connect(harness)
                client.send(row.sent)
                return client
            }
            // Other clients receive their responses meanwhile and afterwards.
            try await run.post(Array(HostileRequest.body.utf8), row.id, "another", .read)
            clock.advance(by: row.limit - .milliseconds(100))
            try await run.post(Array(HostileRequest.body.utf8), row.id, "another", .read)
            clock.advance(by: .milliseconds(100))
            for client in clients {
                if row.outcome.status > 0 { run.check(try client.response(), row.outcome, row.id) }
                #expect(client.isClosedByPeer())
                run.note(row.id, row.outcome)
            }
            await run.expectCounts(row.id)
            try await run.checkRecords()
            #expect(ThreatModelRow.all.first { $0.id == row.id }?.outcomes == [row.outcome])
        }
        await broker.stop()
    }
}

@Suite(.timeLimit(.minutes(5))) struct ConnectRateRowTests {
    @Test func `H-27: a network that connects too often is refused for the rest of the second`() async throws {
        let broker = try DevBroker()
        let clock = ManualClock()
        try await IngressHarness.with(broker, clocks: TestTime.standing(clock), { $0.proxies = [] }) {
            harness async throws in
            // The burst equals two seconds of the rate. The clock is stopped, so the budget is not refilled.
            for _ in 0..<4000 { try connect(harness).close() }
            for _ in 0..<10 { #expect(try connect(harness).isClosedByPeer()) }
            #expect(await eventually { harness.allDecisions() == ["rate 0": 10] })
            #expect(harness.value(#"sluice_http_connections_refused_total{cause="rate"}"#) == 10)
            clock.advance(by: .seconds(1))
            let client = try connect(harness)
            client.send(HostileRequest.good)
            #expect(try client.response().status == 400)
            #expect(try await harness.counts() == [0, 0, 0])
        }
        await broker.stop()
    }
}
