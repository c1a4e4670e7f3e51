import AppStoreModel
import JSON
import Kafka
import KafkaDevBroker
import PipelineTestSupport
import Simulator
import Telemetry
import TestSupport
import Testing

@testable import Refunds

/// Processing of Apple's consumption requests.
@Suite(.timeLimit(.minutes(5))) struct AnsweringTests {
    @Test func `a request is answered once by the rules, even if Apple repeats it`() async throws {
        let installation = try await RefundsInstallation()
        let refunds = try await RunningRefunds(installation, try installation.configuration())
        try await installation.kafka.write([installation.record(.consumptionRequest, "1", uuid: "a")])
        try await installation.wait(for: "accepted", of: ["1"])
        #expect(
            installation.accepted["1"] == [
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,"#
                    + #""consumptionPercentage":100000,"refundPreference":"DECLINE"}"#
            ])
        installation.clock.advance(by: .seconds(8 * 3_600))
        try await installation.kafka.write([
            installation.record(.consumptionRequest, "1", uuid: "b"), installation.record(.consumptionRequest, "2"),
        ])
        try await installation.wait(for: "accepted", of: ["2"])
        #expect(try await installation.caseOf("1")["requests"]?.array?.count == 2)
        #expect(installation.accepted["1"]?.count == 1)
        #expect(
            refunds.metric("sluice_refunds_answers_total{answer=\"decline\",environment=\"production\"}") == 2)
        await refunds.stop()
        await installation.stop()
    }

    @Test func `without consent nothing is sent, and the reason is kept`() async throws {
        let installation = try await RefundsInstallation()
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(rules: #"{"default":"decline"}"#))
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await installation.wait(for: "withheld", of: ["1"])
        #expect(try await installation.newest("ends", of: "1")?["reason"] == "no_consent")
        #expect(installation.api.answers.isEmpty)
        #expect(
            refunds.metric(
                "sluice_refunds_unanswered_total{end=\"withheld\",environment=\"production\",reason=\"no_consent\"}")
                == 1)
        await refunds.stop()
        await installation.stop()
    }

    @Test func `an outcome that arrives before the answer ends the request, and nothing is sent`() async throws {
        let installation = try await RefundsInstallation()
        try await installation.kafka.write([
            installation.record(.consumptionRequest, "1"),
            installation.record(.refund, "1", signed: installation.clock.now + 1),
            installation.record(.consumptionRequest, "2"),
        ])
        let refunds = try await RunningRefunds(installation, try installation.configuration())
        try await installation.wait(for: "overtaken", of: ["1"])
        try await installation.wait(for: "accepted", of: ["2"])
        #expect(installation.bodies["1"] == nil)
        await refunds.stop()
        await installation.stop()
    }

    @Test func `a consent withdrawn before the answer withholds it`() async throws {
        let installation = try await RefundsInstallation()
        try await installation.kafka.write([installation.record(.rescindConsent, "1")])
        let refunds = try await RunningRefunds(installation, try installation.configuration())
        try await installation.wait(for: "none", of: ["701"])
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await installation.wait(for: "withheld", of: ["1"])
        #expect(try await installation.newest("ends", of: "1")?["reason"] == "consent_rescinded")
        #expect(installation.api.answers.isEmpty)
        await refunds.stop()
        await installation.stop()
    }

    @Test func `a consent withdrawn while a frozen answer waits withholds it`() async throws {
        let installation = try await RefundsInstallation()
        installation.api.faults = .always(.internalError)
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(), step: { _ in .seconds(5) })
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await waitUntil { installation.api.answers.count > 1 }
        try await installation.kafka.write([installation.record(.rescindConsent, "1")])
        try await installation.wait(for: "withheld", of: ["1"])
        installation.api.faults = .none
        #expect(installation.accepted.isEmpty)
        #expect(try await installation.newest("answers", of: "1")?["outcome"] == "decline")
        await refunds.stop()
        await installation.stop()
    }

    @Test func `a purchase transferred to another account is answered for the new one, in the version 1 body`()
        async throws
    {
        let installation = try await RefundsInstallation()
        let moved = "7e3fb204-2d5b-4a5c-8f1e-000000000002"
        let commerce: JSONObject = ["advancedCommerceInfo": ["requestReferenceId": "r"]]
        var second = commerce
        second["appAccountToken"] = .string(moved)
        try await installation.kafka.write([
            installation.record(.consumptionRequest, "1", uuid: "a", commerce),
            installation.record(.consumptionRequest, "1", uuid: "b", signed: installation.clock.now + 1, second),
        ])
        let refunds = try await RunningRefunds(installation, try installation.configuration())
        try await installation.wait(for: "accepted", of: ["1"])
        let answer = try #require(installation.api.answers.last)
        #expect(answer.version == 1)
        #expect(try JSONValue(json: answer.body).object?["appAccountToken"] == .string(moved))
        await refunds.stop()
        await installation.stop()
    }

    @Test func `an app that is not configured waits with its reason, and nothing is sent`() async throws {
        let installation = try await RefundsInstallation()
        let refunds = try await RunningRefunds(installation, try installation.configuration())
        try await installation.kafka.write([
            installation.record(.consumptionRequest, "1", ["bundleId": "com.example.other"])
        ])
        try await installation.wait(forObstacle: "app_not_configured", of: "1")
        #expect(installation.api.answers.isEmpty)
        await refunds.stop()
        await installation.stop()
    }

    @Test func `an app with refunds switched off opens no case`() async throws {
        let installation = try await RefundsInstallation()
        let refunds = try await RunningRefunds(
            installation,
            try installation.configuration(
                apps: "\(RefundsInstallation.app):1234567890,com.example.other:2",
                ["--apps.com.example.other.refunds", "off"]))
        try await installation.kafka.write([
            installation.record(.consumptionRequest, "1", ["bundleId": "com.example.other"]),
            installation.record(.consumptionRequest, "2"),
        ])
        try await installation.wait(for: "accepted", of: ["2"])
        #expect(try await installation.cases()["1"] == nil)
        await refunds.stop()
        await installation.stop()
    }

    // app-store.md 10.7, row 15.
    @Test func `a request past its time when first read is too late, and not missed`() async throws {
        let installation = try await RefundsInstallation()
        try await installation.kafka.write([
            installation.record(.consumptionRequest, "1", signed: installation.clock.now)
        ])
        installation.clock.advance(by: .seconds(5 * 86_400))
        let refunds = try await RunningRefunds(installation, try installation.configuration())
        try await installation.wait(for: "too_late", of: ["1"])
        #expect(installation.api.answers.isEmpty)
        #expect(refunds.log.lines.allSatisfy { !"\($0)".contains("\"error\"") || "\($0)".contains("info") })
        await refunds.stop()
        await installation.stop()
    }

    @Test func `an accepted answer is recorded after Kafka's return, and not sent again`() async throws {
        let installation = try await RefundsInstallation()
        var faults = ServerAPIFaults.always(.latency)
        faults.latency = .milliseconds(500)
        installation.api.faults = faults
        let refunds = try await RunningRefunds(installation, try installation.configuration())
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await waitUntil { !installation.api.answers.isEmpty }
        try installation.broker.setDown()
        try await waitUntil(within: .seconds(60)) {
            refunds.log.lines.contains { "\($0)".contains("failed to record a case") }
        }
        try installation.broker.setUp()
        try await installation.wait(for: "accepted", of: ["1"], within: .seconds(60))
        #expect(installation.api.answers.count == 1)
        await refunds.stop()
        await installation.stop()
    }

    @Test func `rules may use the number of the account's earlier refunds`() async throws {
        let installation = try await RefundsInstallation()
        let rules = """
            {"rules":[{"name":"again","when":{"earlierRefunds":{"from":1}},"outcome":"decline"}],"default":"grantFull",\
            "consumption":{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}}
            """
        let refunds = try await RunningRefunds(installation, try installation.configuration(rules: rules))
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await installation.wait(for: "accepted", of: ["1"])
        #expect(try await installation.newest("answers", of: "1")?["outcome"] == "grantFull")
        try await installation.kafka.write([
            installation.record(.refund, "1", signed: installation.clock.now + 1)
        ])
        try await waitUntil { try await installation.caseOf("1")["outcome"] == "granted" }
        try await installation.kafka.write([installation.record(.consumptionRequest, "2")])
        try await installation.wait(for: "accepted", of: ["2"])
        #expect(try await installation.newest("answers", of: "2")?["rule"] == "again")
        await refunds.stop()
        await installation.stop()
    }
}
