import AppStoreModel
import Foundation
import JSON
import Kafka
import OperatorEventsTestSupport
import PipelineTestSupport
import Records
import Simulator
import TestSupport
import Testing

@testable import Refunds

/// Apple's 12-hour limit with a failing API, in virtual time.
@Suite(.timeLimit(.minutes(10))) struct DeadlineTests {
    @Test func `cases are answered with one body each while an API fails three times in ten`() async throws {
        let installation = try await RefundsInstallation()
        let count = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == "1" ? 1_000 : 150
        let shares: [(ServerAPIFaults.Kind, Int)] = [
            (.rateLimit, 300), (.internalError, 800), (.retryableError, 400), (.reset, 700), (.malformed, 300),
            (.lost, 500),
        ]
        installation.api.faults = try #require(
            ServerAPIFaults(Dictionary(uniqueKeysWithValues: shares.map { ($0, Percentage(basisPoints: $1) ?? .zero) }))
        )
        let rules = """
            {"rules":[{"name":"no-consent","when":{"product":["gems"]},"outcome":"decline",\
            "consumption":{"customerConsented":false}}],"default":"decline","consumption":{"customerConsented":true,\
            "deliveryStatus":"DELIVERED","sampleContentProvided":false,"consumptionPercentage":100000}}
            """
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(rules: rules, ["--refunds.concurrency", "8"]),
            step: { _ in .seconds(2) })
        let ids = (1...count).map { "\($0)" }
        try await installation.kafka.write(
            ids.map { installation.record(.consumptionRequest, $0) }
                + [installation.record(.consumptionRequest, "9001", ["productId": "gems"])])
        try await installation.wait(for: "accepted", of: ids, within: .seconds(240))
        try await installation.wait(for: "withheld", of: ["9001"])
        #expect(installation.bodies.count == count)
        #expect(installation.bodies.values.allSatisfy { $0.count == 1 })
        #expect(installation.bodies["9001"] == nil)
        // Nothing is sent again after its acceptance is known.
        let known = installation.api.answers.filter { $0.isAccepted && $0.fault == nil }
        #expect(Set(known.map(\.transactionId)).count == known.count)
        #expect(try await installation.cases().values.allSatisfy { $0["answerStatus"] != "missed" })
        await refunds.stop()
        await installation.stop()
    }

    @Test func `after eleven hours without the API everything is answered in the order of deadlines`() async throws {
        let installation = try await RefundsInstallation()
        installation.api.faults = .always(.internalError)
        // The last hour advances slowly, so that the result does not depend on the machine's speed.
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(),
            step: { $0 < 11.1 ? .seconds(30) : .milliseconds(500) })
        // The requests were received a second apart, and are written in reverse order.
        let ids = (1...40).map { "\($0)" }
        let records = ids.enumerated().map { index, id in
            installation.record(.consumptionRequest, id, signed: VirtualClock.start - 40_000 + Int64(index) * 1_000)
        }
        try await installation.kafka.write(records.reversed())
        try await waitUntil(within: .seconds(120)) {
            installation.clock.hours > 11
        }
        #expect(installation.accepted.isEmpty)
        installation.api.faults = .none
        try await installation.wait(for: "accepted", of: ids, within: .seconds(60))
        let order = installation.api.answers.filter(\.isAccepted).map(\.transactionId.rawValue)
        // The first request detects that the API is available again. It is the earliest request with an expired
        // back-off.
        let first = try #require(order.first)
        #expect(order.dropFirst() == ids.filter { $0 != first }[...])
        #expect(try await installation.cases().values.allSatisfy { $0["answerStatus"] != "missed" })
        await refunds.stop()
        await installation.stop()
    }

    @Test func `a paused group answers nothing, and answers after its resumption`() async throws {
        let installation = try await RefundsInstallation()
        func write(_ state: String) async throws {
            let value = #"{"version":1,"state":"\#(state)","reason":"r","author":"ann","at":"2026-11-23T12:00:00Z"}"#
            try await installation.kafka.write([
                KafkaProducerRecord(
                    topic: installation.topics.control, key: Array("sluice-refunds".utf8), value: Array(value.utf8))
            ])
        }
        // The first request is known and waits for the API when the group is paused.
        installation.api.faults = .always(.internalError)
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(), step: { _ in .seconds(5) })
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await installation.wait(forObstacle: "api_unavailable", of: "1")
        try await write("paused")
        try await waitUntil { refunds.metric("sluice_consumer_paused{") == 1 }
        try await installation.kafka.write([installation.record(.consumptionRequest, "2")])
        installation.api.faults = .none
        // The clock advances with each check for due work.
        let hours = installation.clock.hours
        try await waitUntil(within: .seconds(60)) { installation.clock.hours > hours + 1 }
        #expect(installation.accepted.isEmpty)
        #expect(try await installation.cases()["2"] == nil)

        try await write("running")
        try await installation.wait(for: "accepted", of: ["1", "2"], within: .seconds(60))
        await refunds.stop()
        await installation.stop()
    }

    @Test func `a request that cannot be answered in time is recorded and counted as missed`() async throws {
        let installation = try await RefundsInstallation()
        installation.api.faults = .always(.internalError)
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(), step: { _ in .seconds(60) })
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await installation.wait(for: "missed", of: ["1"], within: .seconds(120))
        let refund = try await installation.caseOf("1")
        #expect(refund["ends"]?.array?.last?.object?["reason"] == "api_unavailable")
        #expect(refund["obstacle"]?.object?["status"] == 500)
        #expect(
            refunds.metric(
                "sluice_refunds_unanswered_total{end=\"missed\",environment=\"production\",reason=\"api_unavailable\"}")
                == 1)
        await refunds.stop()
        await installation.stop()
    }

    @Test func `operator events report a deadline with two hours and with fifteen minutes left`() async throws {
        let installation = try await RefundsInstallation()
        installation.api.faults = .always(.internalError)
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(["--operations.events", "true"]), step: { _ in .seconds(60) })
        try await installation.wait(for: "missed", of: ["1"], within: .seconds(120))
        await refunds.stop()
        let records = try await installation.kafka.records(of: [installation.topics.operations], partitions: 1)
        let lines = records.map { RecordedEvents.line(of: $0.value) }
        try #require(lines.count == 4, "\(lines)")
        #expect(lines.first == "member.started" && lines.last == "member.stopped")
        for line in lines[1...2] {
            #expect(line.hasPrefix("refund.deadline_near com.example.app/1 "))
            // This is twelve hours after the request was received.
            #expect(line.contains(#""deadline":"2026-11-24T00:00:00.000Z""#))
            #expect(line.contains(#""reason":"api_unavailable""#))
        }
        await installation.stop()
    }

    @Test(arguments: ServerAPIFaults.RetryAfter.allCases)
    func `the answer is sent before the deadline, regardless of Retry-After`(
        _ form: ServerAPIFaults.RetryAfter
    ) async throws {
        let installation = try await RefundsInstallation()
        var faults = ServerAPIFaults.always(.rateLimit)
        faults.retryAfterForm = form
        installation.api.faults = faults
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(), step: { _ in .seconds(10) })
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await waitUntil { !installation.api.answers.isEmpty }
        installation.api.faults = .none
        try await installation.wait(for: "accepted", of: ["1"], within: .seconds(90))
        await refunds.stop()
        await installation.stop()
    }
}
