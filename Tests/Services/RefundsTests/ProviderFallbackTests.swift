import AppStoreModel
import Foundation
import JSON
import Kafka
import KeyedState
import PipelineTestSupport
import Records
import RefundRules
import Simulator
import Telemetry
import TestSupport
import Testing

@testable import Refunds

/// Consent and consumption from the company's own service, and the fallback if it does not respond.
@Suite(.timeLimit(.minutes(5))) struct ProviderFallbackTests {
    private func arguments(_ installation: RefundsInstallation, _ company: CompanyService) throws -> [String] {
        let secret = try installation.directory.write(
            "whsec_" + String(repeating: "QUFB", count: 8) + "\n", to: "provider-secret")
        return [
            "--refunds.provider.url", "\(company.url)", "--refunds.provider.secret.file", secret,
        ]
    }

    @Test func `the answer contains the service's consent and consumption`() async throws {
        let installation = try await RefundsInstallation()
        let company = try CompanyService(
            #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true}"#)
        let refunds = try await RunningRefunds(
            installation,
            try installation.configuration(
                rules: #"{"default":"decline"}"#, arguments(installation, company)))
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await installation.wait(for: "accepted", of: ["1"])
        let refund = try await installation.caseOf("1")
        #expect(refund["answers"]?.array?.last?.object?["source"] == "provider")
        #expect(installation.accepted["1"]?.first?.contains(#""sampleContentProvided":true"#) == true)
        #expect(company.questions.count == 1)
        await refunds.stop()
        await company.stop()
        await installation.stop()
    }

    @Test func `the rules answer if the service is silent to the last hour and the fallback allows it`()
        async throws
    {
        let installation = try await RefundsInstallation()
        let company = try CompanyService(status: 503, "")
        let refunds = try await RunningRefunds(
            installation,
            try installation.configuration(arguments(installation, company) + ["--refunds.fallback", "rules"]),
            step: { $0 < 10.9 ? .seconds(60) : .seconds(1) })
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await installation.wait(for: "accepted", of: ["1"], within: .seconds(90))
        let answer = try #require(try await installation.newest("answers", of: "1"))
        #expect(answer["source"] == "fallback")
        #expect((try #require(answer["decidedAt"]?.integer) - VirtualClock.start) / 3_600_000 == 11)
        #expect(company.questions.count > 5)
        #expect(refunds.metric("sluice_refunds_provider_failures_total{reason=\"unavailable\"}") > 5)
        await refunds.stop()
        await company.stop()
        await installation.stop()
    }

    @Test func `a request is missed if the service is silent to the end, and keeps its reason throughout`()
        async throws
    {
        let installation = try await RefundsInstallation()
        let company = try CompanyService(status: 503, "")
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(arguments(installation, company)), step: { _ in .seconds(60) })
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await installation.wait(forObstacle: "provider_silent", of: "1")
        try await waitUntil {
            refunds.metric("sluice_refunds_undecided{environment=\"production\",reason=\"provider_silent\"}") == 1
        }
        try await installation.wait(for: "missed", of: ["1"], within: .seconds(90))
        #expect(try await installation.newest("ends", of: "1")?["reason"] == "provider_silent")
        #expect(installation.api.answers.isEmpty)
        await refunds.stop()
        await company.stop()
        await installation.stop()
    }

    // app-store.md 10.7, row 8.
    @Test(arguments: [422, 403])
    func `a request is missed if the service refuses to the end, and the file's consent is not used`(
        _ status: Int
    ) async throws {
        let installation = try await RefundsInstallation()
        let company = try CompanyService(status: status, "")
        let refunds = try await RunningRefunds(
            installation,
            try installation.configuration(arguments(installation, company) + ["--refunds.fallback", "rules"]),
            step: { _ in .seconds(60) })
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await installation.wait(for: "missed", of: ["1"], within: .seconds(90))
        #expect(try await installation.newest("ends", of: "1")?["reason"] == "provider_refused")
        #expect(installation.api.answers.isEmpty)
        await refunds.stop()
        await company.stop()
        await installation.stop()
    }

    @Test func `an operator's answer is sent if no answer was frozen before`() async throws {
        let installation = try await RefundsInstallation()
        let company = try CompanyService(status: 503, "")
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(arguments(installation, company)))
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await waitUntil { !company.questions.isEmpty }
        let body = #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}"#
        let answer = FrozenAnswer(
            through: AppStoreInstant(clampingMillisecondsSince1970: installation.clock.now),
            decidedAt: AppStoreInstant(clampingMillisecondsSince1970: installation.clock.now), source: .operator,
            rule: nil, outcome: "noPreference", form: 2, body: body)
        let refund = RefundCase(
            environment: .production, bundleId: BundleId(RefundsInstallation.app), transactionId: TransactionId("1"))
        try await installation.kafka.write([
            KafkaProducerRecord(
                topic: installation.topics.refunds(.production), key: Array("\(RefundsInstallation.app)/1".utf8),
                value: refund.jsonText(), headers: [StateProposal.header(answer.json)])
        ])
        try await installation.wait(for: "accepted", of: ["1"])
        #expect(installation.accepted["1"] == [body])
        #expect(try await installation.newest("answers", of: "1")?["source"] == "operator")
        await refunds.stop()
        await company.stop()
        await installation.stop()
    }

    @Test func `an operator's answer to a request of an erased person is not sent`() async throws {
        let installation = try await RefundsInstallation()
        let refunds = try await RunningRefunds(installation, try installation.configuration())
        let now = AppStoreInstant(clampingMillisecondsSince1970: installation.clock.now)
        var refund = RefundCase(
            environment: .production, bundleId: BundleId(RefundsInstallation.app), transactionId: TransactionId("1"))
        refund.insert(RefundRequest(notificationUUID: NotificationUUID("a"), signedDate: now, receivedAt: now))
        refund.erase(at: now)
        let answer = FrozenAnswer(
            through: now, decidedAt: now.advanced(byMilliseconds: 1), source: .operator, rule: nil,
            outcome: "noPreference", form: 2,
            body: #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}"#)
        try await installation.kafka.write([
            KafkaProducerRecord(
                topic: installation.topics.refunds(.production), key: Array("\(RefundsInstallation.app)/1".utf8),
                value: refund.jsonText(), headers: [StateProposal.header(answer.json)])
        ])
        try await installation.wait(for: "withheld", of: ["1"])
        #expect(try await installation.newest("ends", of: "1")?["reason"] == "erased")
        #expect(try await installation.newest("answers", of: "1")?["source"] == "operator")
        #expect(installation.api.answers.isEmpty)
        await refunds.stop()
        await installation.stop()
    }

    // MARK: Version 1 and the API key

    @Test func `a request trusted by shared secret is answered when Apple signs its transaction`() async throws {
        let installation = try await RefundsInstallation()
        installation.api.register(transaction: [
            "transactionId": "5", "originalTransactionId": "5", "bundleId": .string(RefundsInstallation.app),
            "productId": "coins", "type": "Consumable", "environment": "Production",
            "signedDate": .integer(installation.clock.now), "purchaseDate": .integer(installation.clock.now - 1_000),
            "inAppOwnershipType": "PURCHASED", "quantity": 1,
        ])
        let refunds = try await RunningRefunds(installation, try installation.configuration())
        func unsigned(_ id: String) -> KafkaProducerRecord {
            let transaction: JSONValue = ["transaction_id": .string(id), "original_transaction_id": .string(id)]
            return installation.record(
                .consumptionRequest, id,
                legacy: [
                    "original_transaction_id": .string(id),
                    "unified_receipt": ["latest_receipt_info": [transaction]],
                ])
        }
        try await installation.kafka.write([unsigned("5"), unsigned("6")])
        try await installation.wait(for: "accepted", of: ["5"])
        // Apple's response that it does not know the transaction proves nothing.
        try await installation.wait(forObstacle: "api_not_found", of: "6")
        #expect(installation.bodies["6"] == nil)
        await refunds.stop()
        await installation.stop()
    }

    @Test func `neither the key nor a token is ever logged`() async throws {
        let installation = try await RefundsInstallation()
        installation.api.faults = .always(.malformed)
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(), step: { _ in .seconds(30) })
        try await installation.kafka.write((1...5).map { installation.record(.consumptionRequest, "\($0)") })
        try await waitUntil { installation.api.answers.count > 5 }
        installation.api.faults = .none
        try await installation.wait(for: "accepted", of: (1...5).map { "\($0)" })
        await refunds.stop()
        let key = try String(contentsOfFile: installation.directory.file(SimulatedAPIKey.fileName), encoding: .utf8)
        let secrets =
            key.split(separator: "\n").filter { !$0.hasPrefix("-----") }.map(String.init) + ["eyJ", "Bearer "]
        for line in refunds.log.lines {
            for secret in secrets { #expect(!"\(line)".contains(secret)) }
        }
        await installation.stop()
    }
}
