import AppStoreModel
import Foundation
import HTTPServer
import JSON
import Kafka
import KeyedState
import PipelineTestSupport
import Records
import Simulator
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Refunds

/// The rows of app-store.md 10.7 and the refund cases of cases.md through the whole service: Kafka's protocol, the
/// company's service over HTTP, and Apple's API as simulated.
@Suite(.timeLimit(.minutes(10))) struct RoundTests {
    private static let hour: Int64 = 3_600_000

    /// A company's service with a response that the test changes.
    private final class Company: Sendable {
        private final class Answer: Sendable {
            let value: Mutex<(status: Int, body: String)>
            init(_ body: String) { value = Mutex((200, body)) }
        }

        private let answer: Answer
        let service: CompanyService

        init(_ body: String) throws {
            let answer = Answer(body)
            self.answer = answer
            service = try CompanyService { _, exchange in
                let (status, body) = answer.value.withLock { $0 }
                exchange.respond(.of(status, body))
            }
        }

        func says(_ body: String, status: Int = 200) { answer.value.withLock { $0 = (status, body) } }
    }

    private static func yes(_ percentage: Int) -> String {
        """
        {"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,\
        "consumptionPercentage":\(percentage)}
        """
    }

    private static let no = #"{"customerConsented":false}"#

    private func arguments(_ installation: RefundsInstallation, _ company: Company) throws -> [String] {
        let secret = try installation.directory.write(
            "whsec_" + String(repeating: "QUFB", count: 8) + "\n", to: "provider-secret")
        return ["--refunds.provider.url", company.service.url, "--refunds.provider.secret.file", secret]
    }

    /// Plays one story with a service.
    private func play(
        _ company: Company, _ further: [String] = [],
        step: @escaping @Sendable (Double) -> Duration = { _ in .zero },
        _ body: (RefundsInstallation, RunningRefunds) async throws -> Void
    ) async throws {
        let installation = try await RefundsInstallation()
        let refunds = try await RunningRefunds(
            installation,
            try installation.configuration(
                rules: #"{"default":"decline"}"#, arguments(installation, company) + further), step: step)
        try await body(installation, refunds)
        await refunds.stop()
        await company.service.stop()
        await installation.stop()
    }

    private func advance(_ installation: RefundsInstallation, hours: Int64) {
        installation.clock.advance(by: .seconds(hours * 3_600))
    }

    // MARK: Rounds

    @Test func `1 and case 17: a repeated and granted request gets one answer`() async throws {
        try await play(try Company(Self.yes(10_000))) { installation, _ in
            try await installation.kafka.write([installation.record(.consumptionRequest, "1", uuid: "a")])
            try await installation.wait(for: "accepted", of: ["1"])
            for uuid in ["b", "c"] {
                advance(installation, hours: 8)
                try await installation.kafka.write([installation.record(.consumptionRequest, "1", uuid: uuid)])
            }
            advance(installation, hours: 4)
            try await installation.kafka.write([installation.record(.refund, "1")])
            try await waitUntil { try await installation.caseOf("1")["outcome"] == "granted" }
            #expect(try await installation.caseOf("1")["requests"]?.array?.count == 3)
            #expect(try await installation.caseOf("1")["round"] == 1)
            #expect(installation.api.answers.count == 1)
        }
    }

    @Test func `2: after a decline and a withdrawn consent the second request is withheld`() async throws {
        let company = try Company(Self.yes(10_000))
        try await play(company) { installation, _ in
            try await installation.kafka.write([installation.record(.consumptionRequest, "1", uuid: "a")])
            try await installation.wait(for: "accepted", of: ["1"])
            company.says(Self.no)
            advance(installation, hours: 20)
            try await installation.kafka.write([installation.record(.refundDeclined, "1")])
            advance(installation, hours: 80)
            try await installation.kafka.write([installation.record(.consumptionRequest, "1", uuid: "b")])
            try await installation.wait(for: "withheld", of: ["1"])
            #expect(installation.api.answers.count == 1)
            #expect(company.service.questions.count == 2)
        }
    }

    @Test func `3 and case 19: the next request is answered when consent was given in between`() async throws {
        let company = try Company(Self.no)
        try await play(company) { installation, _ in
            try await installation.kafka.write([installation.record(.consumptionRequest, "1", uuid: "a")])
            try await installation.wait(for: "withheld", of: ["1"])
            company.says(Self.yes(10_000))
            advance(installation, hours: 8)
            #expect(installation.api.answers.isEmpty)
            try await installation.kafka.write([installation.record(.consumptionRequest, "1", uuid: "b")])
            try await installation.wait(for: "accepted", of: ["1"])
            #expect(installation.api.answers.count == 1)
        }
    }

    @Test func `4 and case 18: a request after a silent refusal is answered from the facts at that time`() async throws
    {
        let company = try Company(Self.yes(10_000))
        try await play(company) { installation, _ in
            try await installation.kafka.write([installation.record(.consumptionRequest, "1", uuid: "a")])
            try await installation.wait(for: "accepted", of: ["1"])
            company.says(Self.yes(80_000))
            advance(installation, hours: 40 * 24)
            try await installation.kafka.write([installation.record(.consumptionRequest, "1", uuid: "b")])
            try await waitUntil { installation.accepted["1"]?.count == 2 }
            let bodies = try #require(installation.accepted["1"])
            #expect(bodies[0].contains("10000") && bodies[1].contains("80000"))
            #expect(company.service.questions.count == 2)
        }
    }

    @Test func `5 and case 20: a request delivered after 13 hours is answered, and not missed`() async throws {
        try await play(try Company(Self.yes(10_000))) { installation, _ in
            try await installation.kafka.write([
                installation.record(.consumptionRequest, "1", signed: installation.clock.now - 13 * Self.hour)
            ])
            try await installation.wait(for: "accepted", of: ["1"])
            #expect(installation.api.answers.count == 1)
        }
    }

    @Test func `6: a request after a missed one is answered`() async throws {
        let company = try Company("")
        company.says("", status: 503)
        try await play(company, step: { $0 < 12.1 ? .seconds(60) : .zero }) { installation, _ in
            try await installation.kafka.write([installation.record(.consumptionRequest, "1", uuid: "a")])
            try await installation.wait(for: "missed", of: ["1"], within: .seconds(90))
            company.says(Self.yes(10_000))
            try await installation.kafka.write([installation.record(.consumptionRequest, "1", uuid: "b")])
            try await installation.wait(for: "accepted", of: ["1"])
            #expect(try await installation.caseOf("1")["round"] == 2)
        }
    }

    @Test func `7: a service's answer with an unknown member is accepted, and the member is logged`() async throws {
        let company = try Company(#"{"requestId":"8f2b","# + Self.yes(10_000).dropFirst())
        try await play(company) { installation, refunds in
            try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
            try await installation.wait(for: "accepted", of: ["1"])
            #expect(refunds.log.lines.contains { "\($0)".contains("requestId") })
        }
    }

    @Test func `7: a malformed answer of the service keeps the request waiting until it is corrected`() async throws {
        let company = try Company(#"{"customerConsented":"yes"}"#)
        try await play(company, step: { _ in .seconds(1) }) { installation, _ in
            try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
            try await installation.wait(forObstacle: "provider_malformed", of: "1")
            company.says(Self.yes(10_000))
            try await installation.wait(for: "accepted", of: ["1"])
        }
    }

    @Test func `8: a service's refusal of consent applies despite an unknown member`() async throws {
        // The rules file declares consent for everyone, but the service responds with a refusal and an unknown member.
        let company = try Company(#"{"customerConsented":false,"requestId":"8f2b"}"#)
        let installation = try await RefundsInstallation()
        let refunds = try await RunningRefunds(
            installation,
            try installation.configuration(arguments(installation, company) + ["--refunds.fallback", "rules"]))
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await installation.wait(for: "withheld", of: ["1"])
        #expect(installation.api.answers.isEmpty)
        await refunds.stop()
        await company.service.stop()
        await installation.stop()
    }

    @Test func `9: a withdrawal ends a round with a frozen answer`() async throws {
        try await play(try Company(Self.yes(10_000)), step: { _ in .seconds(1) }) { installation, _ in
            installation.api.faults = .always(.internalError)
            try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
            try await waitUntil { !installation.api.answers.isEmpty }
            try await installation.kafka.write([
                installation.record(
                    preference: #"{"withdrawn":true}"#, of: "7E3FB204-2D5B-4A5C-8F1E-000000000001")
            ])
            try await installation.wait(for: "withheld", of: ["1"])
            installation.api.faults = .none
            #expect(installation.accepted.isEmpty)
            #expect(try await installation.newest("ends", of: "1")?["reason"] == "no_consent")
        }
    }

    @Test func `9: the service is queried again before an old answer is sent, and its refusal ends the round`()
        async throws
    {
        let company = try Company(Self.yes(10_000))
        try await play(company, step: { _ in .seconds(20) }) { installation, _ in
            installation.api.faults = .always(.internalError)
            try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
            try await waitUntil { !installation.api.answers.isEmpty }
            company.says(Self.no)
            try await installation.wait(for: "withheld", of: ["1"])
            installation.api.faults = .none
            #expect(installation.accepted.isEmpty)
        }
    }

    // The ingress's clock, which dates requests, is ahead of ours or behind.
    @Test(arguments: [Int64(-30_000), 30_000])
    func `10: a clock off by 30 seconds leads to one answer`(_ error: Int64) async throws {
        try await play(try Company(Self.yes(10_000))) { installation, refunds in
            var record = installation.record(.consumptionRequest, "1")
            record.headers = record.headers.map {
                $0.key == "ce_receivedtime"
                    ? KafkaHeader(
                        key: $0.key,
                        text: AppStoreInstant(clampingMillisecondsSince1970: installation.clock.now + error).description
                    )
                    : $0
            }
            try await installation.kafka.write([record])
            try await installation.wait(for: "accepted", of: ["1"])
            // Another request is processed meanwhile, so the first one no longer waits.
            try await installation.kafka.write([installation.record(.consumptionRequest, "2")])
            try await installation.wait(for: "accepted", of: ["2"])
            #expect(installation.accepted["1"]?.count == 1)
        }
    }

    @Test func `11: a request after a reversed refund is answered`() async throws {
        try await play(try Company(Self.yes(10_000))) { installation, _ in
            try await installation.kafka.write([installation.record(.consumptionRequest, "1", uuid: "a")])
            try await installation.wait(for: "accepted", of: ["1"])
            for (hours, type) in [(2, NotificationType.refund), (498, .refundReversed)] {
                advance(installation, hours: Int64(hours))
                try await installation.kafka.write([installation.record(type, "1")])
            }
            advance(installation, hours: 100)
            try await installation.kafka.write([installation.record(.consumptionRequest, "1", uuid: "b")])
            try await waitUntil { installation.accepted["1"]?.count == 2 }
        }
    }

    @Test func `14: a refund of seats leaves the round open`() async throws {
        let company = try Company("")
        company.says("", status: 503)
        try await play(company, step: { _ in .seconds(1) }) { installation, _ in
            try await installation.kafka.write([
                installation.record(.consumptionRequest, "1"),
                installation.record(.refund, "1", signed: installation.clock.now + 1, ["revocationDate": .null]),
            ])
            try await installation.wait(forObstacle: "provider_silent", of: "1")
            company.says(Self.yes(10_000))
            try await installation.wait(for: "accepted", of: ["1"])
            #expect(try await installation.caseOf("1")["outcome"] == nil)
        }
    }

    @Test func `16: a request from the history is answered, an older one is too late`() async throws {
        try await play(try Company(Self.yes(10_000))) { installation, _ in
            let now = installation.clock.now
            try await installation.kafka.write([
                installation.record(.consumptionRequest, "1", signed: now - 120 * Self.hour),
                installation.record(.consumptionRequest, "2", signed: now - 170 * Self.hour),
            ])
            try await installation.wait(for: "accepted", of: ["1"])
            try await installation.wait(for: "too_late", of: ["2"])
            #expect(installation.bodies["2"] == nil)
        }
    }

    // MARK: Cases

    @Test func `case 21: three product types get version 2 bodies, a subscription without a percentage`() async throws {
        let answer = Self.yes(25_000).dropLast() + #","outcome":"grantProrated"}"#
        try await play(try Company(String(answer))) { installation, _ in
            installation.api.register(transaction: [
                "transactionId": "3", "originalTransactionId": "3", "bundleId": .string(RefundsInstallation.app),
                "productId": "pro", "type": "Auto-Renewable Subscription", "environment": "Production",
                "signedDate": .integer(installation.clock.now),
                "purchaseDate": .integer(installation.clock.now - 1_000),
                "inAppOwnershipType": "PURCHASED", "quantity": 1,
            ])
            let types = ["Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription"]
            try await installation.kafka.write(
                types.enumerated().map { installation.record(.consumptionRequest, "\($0 + 1)", ["type": .string($1)]) })
            try await installation.wait(for: "accepted", of: ["1", "2", "3"])
            #expect(installation.api.answers.allSatisfy { $0.version == 2 })
            for (id, percentage) in [("1", JSONValue.integer(25_000)), ("2", .integer(25_000)), ("3", nil)]
                as [(String, JSONValue?)]
            {
                let body = try #require(installation.accepted[id]?.first)
                let object = try #require(try JSONValue(json: Array(body.utf8)).object)
                #expect(object["consumptionPercentage"] == percentage)
                #expect(object["refundPreference"] == "GRANT_PRORATED")
            }
        }
    }

    @Test func `case 22: RESCIND_CONSENT is passed to the service, and its later answer applies`() async throws {
        let company = try Company(Self.yes(10_000))
        try await play(company) { installation, _ in
            try await installation.kafka.write([installation.record(.rescindConsent, "1")])
            try await installation.wait(for: "none", of: ["701"])
            advance(installation, hours: 24)
            try await installation.kafka.write([
                installation.record(.consumptionRequest, "1"), installation.record(.consumptionRequest, "2"),
            ])
            try await installation.wait(for: "accepted", of: ["1", "2"])
            let questions = try company.service.questions.map {
                try #require(JSONValue(json: $0.body).object?["data"]?.object)
            }
            let told = Dictionary(
                uniqueKeysWithValues: questions.map { ($0["transactionId"]?.string, $0["consentRescindedAt"]) })
            #expect(told["1"] == .some(.integer(VirtualClock.start)) && told["2"] == .some(nil))
        }
    }

    @Test(arguments: ["FAMILY_SHARED", "ASSIGNED"])
    func `a shared or assigned transaction is not answered, and the service is not queried`(
        _ ownership: String
    ) async throws {
        let company = try Company(Self.yes(10_000))
        try await play(company) { installation, _ in
            try await installation.kafka.write([
                installation.record(.consumptionRequest, "1", ["inAppOwnershipType": .string(ownership)])
            ])
            try await installation.wait(for: "withheld", of: ["1"])
            #expect(company.service.questions.isEmpty && installation.api.answers.isEmpty)
        }
    }

    // MARK: Recorded preferences and operators

    @Test func `a preference from any producer gives consent, and the refund preference for Apple`() async throws {
        let installation = try await RefundsInstallation()
        let preference = """
            {"consent":true,"since":"2026-11-23T12:00:00Z","preference":"grantFull",\
            "consumption":{"deliveryStatus":"DELIVERED","sampleContentProvided":false}}
            """
        try await installation.kafka.write([
            installation.record(preference: preference, of: "7E3FB204-2D5B-4A5C-8F1E-000000000001")
        ])
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(rules: #"{"default":"decline"}"#))
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await installation.wait(for: "accepted", of: ["1"])
        #expect(installation.accepted["1"]?.first?.contains("GRANT_FULL") == true)
        #expect(try await installation.newest("answers", of: "1")?["decidedBy"] == "preference")
        await refunds.stop()
        await installation.stop()
    }

    @Test func `an unreadable preference keeps the request waiting`() async throws {
        let installation = try await RefundsInstallation()
        let customer = "7e3fb204-2d5b-4a5c-8f1e-000000000001"
        try await installation.kafka.write([installation.record(preference: #"{"consent":"no"}"#, of: customer)])
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(), step: { _ in .seconds(1) })
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await installation.wait(forObstacle: "preference_unreadable", of: "1")
        try await installation.kafka.write([installation.record(preference: #"{"consent":false}"#, of: customer)])
        try await installation.wait(for: "withheld", of: ["1"])
        #expect(installation.api.answers.isEmpty)
        await refunds.stop()
        await installation.stop()
    }

    @Test func `in observe mode the answer is recorded and not sent`() async throws {
        let installation = try await RefundsInstallation()
        let refunds = try await RunningRefunds(
            installation, try installation.configuration(["--refunds.mode", "observe"]))
        try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
        try await installation.wait(for: "observed", of: ["1"])
        #expect(installation.api.answers.isEmpty)
        let answer = try #require(try await installation.newest("answers", of: "1"))
        #expect(answer["body"]?.string?.contains("DECLINE") == true && answer["rules"]?.string?.count == 16)
        await refunds.stop()
        await installation.stop()
    }

    // Apple's refusal by code is final, so the answer is sent once.
    @Test func `an answer that Apple refuses by code is not repeated`() async throws {
        try await play(try Company(Self.yes(10_000))) { installation, _ in
            try await installation.kafka.write([installation.record(.consumptionRequest, "99994000209")])
            try await installation.wait(for: "refused", of: ["99994000209"])
            #expect(installation.api.answers.count == 1)
            #expect(try await installation.newest("ends", of: "99994000209")?["reason"] == "4000209")
        }
    }

    @Test func `a tombstone erases the person, and nothing is answered again`() async throws {
        try await play(try Company(Self.yes(10_000))) { installation, _ in
            try await installation.kafka.write([installation.record(.consumptionRequest, "1", uuid: "a")])
            try await installation.wait(for: "accepted", of: ["1"])
            try await installation.kafka.write([
                KafkaProducerRecord(
                    topic: installation.topics.refunds(.production), key: Array("\(RefundsInstallation.app)/1".utf8),
                    value: nil)
            ])
            try await waitUntil {
                let found = try await installation.cases()["1"]
                return found?["erasedAt"] != nil && found?["transaction"]?.object?["appAccountToken"] == nil
            }
            #expect(try await installation.caseOf("1")["answerStatus"] == "accepted")
            try await installation.kafka.write([installation.record(.consumptionRequest, "2")])
            try await installation.wait(for: "accepted", of: ["2"])
            #expect(installation.accepted["1"]?.count == 1)
        }
    }

    // The preference, including a withdrawal, is found by names that the erasure removes.
    @Test func `an erasure ends a round with a frozen answer, and an undecided one`() async throws {
        let company = try Company(Self.yes(10_000))
        try await play(company, step: { _ in .seconds(20) }) { installation, _ in
            installation.api.faults = .always(.internalError)
            try await installation.kafka.write([installation.record(.consumptionRequest, "1")])
            try await waitUntil { !installation.api.answers.isEmpty }
            company.says("{}", status: 503)
            try await installation.kafka.write([installation.record(.consumptionRequest, "2")])
            try await waitUntil { try await installation.cases()["2"]?["obstacle"] != nil }
            try await installation.kafka.write(
                ["1", "2"].map {
                    KafkaProducerRecord(
                        topic: installation.topics.refunds(.production),
                        key: Array("\(RefundsInstallation.app)/\($0)".utf8), value: nil)
                })
            for id in ["1", "2"] {
                try await installation.wait(for: "withheld", of: [id])
                #expect(try await installation.newest("ends", of: id)?["reason"] == "erased")
            }
            installation.api.faults = .none
            #expect(installation.accepted.isEmpty)
            #expect(try await installation.newest("answers", of: "1")?["body"] == nil)
            // The frozen answer contains the customer's data, too.
            let records = try await installation.kafka.records(
                of: [installation.topics.refunds(.production)], partitions: 2
            ).filter { $0.key == Array("\(RefundsInstallation.app)/1".utf8) }
            #expect(records.contains { StateProposal($0) != nil })
            #expect(StateProposal(try #require(records.last)) == nil)
        }
    }

    // According to a public report, a second request after a decline, with another reason, received the answer to the
    // first one.
    @Test func `a second request after a decline is answered by the rule of its own reason`() async throws {
        let installation = try await RefundsInstallation()
        let rules = """
            {"default":"noPreference","consumption":{"customerConsented":true,"deliveryStatus":"DELIVERED",\
            "sampleContentProvided":true},"rules":[{"name":"mistake","when":{"reason":["UNINTENDED_PURCHASE"]},\
            "outcome":"decline","consumption":{"consumptionPercentage":10000}},{"name":"broken","when":\
            {"reason":["FULFILLMENT_ISSUE"]},"outcome":"grantFull","consumption":{"consumptionPercentage":90000}}]}
            """
        let refunds = try await RunningRefunds(installation, try installation.configuration(rules: rules))
        let now = installation.clock.now
        try await installation.kafka.write([
            installation.record(.consumptionRequest, "1", uuid: "a", signed: now - 120_000)
        ])
        try await installation.wait(for: "accepted", of: ["1"])
        try await installation.kafka.write([
            installation.record(.refundDeclined, "1", signed: now - 1_000),
            installation.record(
                .consumptionRequest, "1", uuid: "b", signed: now + 1_000, reason: "FULFILLMENT_ISSUE"),
        ])
        try await waitUntil { installation.accepted["1"]?.count == 2 }
        try await installation.kafka.write([
            installation.record(.refundDeclined, "1", signed: now + 20_000),
            installation.record(.refund, "1", signed: now + 30_000),
        ])
        try await waitUntil { try await installation.caseOf("1")["outcome"] == "granted" }
        let bodies = try #require(installation.accepted["1"])
        #expect(bodies.count == 2)
        #expect(bodies[0].contains("DECLINE") && bodies[0].contains(":10000"))
        #expect(bodies[1].contains("GRANT_FULL") && bodies[1].contains(":90000"))
        await refunds.stop()
        await installation.stop()
    }

    // MARK: The manual's example

    /// Starts `deploy/refund-service.py` as shown in the manual, on a free port.
    private func exampleService(_ directory: TemporaryDirectory, secret: String) async throws -> (Process, String) {
        let customers = try directory.write(
            #"{"7e3fb204-2d5b-4a5c-8f1e-000000000001": \#(Self.yes(50_000))}"#, to: "customers.json")
        var script = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { script.deleteLastPathComponent() }
        script.append(path: "deploy/refund-service.py")
        let process = Process()
        process.executableURL = URL(filePath: try #require(Program.path(of: "python3")))
        process.arguments = [script.path, "0", customers, secret]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // The line that the service prints when it listens. It is empty if the service failed.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return (process, line)
    }

    @Test(.enabled(if: Program.path(of: "python3") != nil, "python3 is not on PATH"))
    func `a request is answered with the manual's rules and its example service`() async throws {
        let installation = try await RefundsInstallation()
        let secret = try installation.directory.write(
            "whsec_" + String(repeating: "QUFB", count: 8) + "\n", to: "provider-secret")
        let (service, url) = try await exampleService(installation.directory, secret: secret)
        // A child inherits that this process ignores SIGTERM.
        defer {
            kill(service.processIdentifier, SIGKILL)
            service.waitUntilExit()
        }
        // The service checks the age of a signature with the real clock.
        installation.clock.advance(
            by: .milliseconds(Int64(Date().timeIntervalSince1970 * 1_000) - installation.clock.now))
        let refunds = try await RunningRefunds(
            installation,
            try installation.configuration(
                rules: try Self.manualRules(),
                ["--refunds.provider.url", url, "--refunds.provider.secret.file", secret]))
        try await installation.kafka.write([
            installation.record(.consumptionRequest, "1"),
            installation.record(
                .consumptionRequest, "2", ["appAccountToken": "7e3fb204-2d5b-4a5c-8f1e-000000000002"]),
        ])
        try await installation.wait(for: "accepted", of: ["1"])
        try await installation.wait(for: "withheld", of: ["2"])
        #expect(installation.accepted["1"]?.first?.contains("\"consumptionPercentage\":50000") == true)
        #expect(try await installation.newest("answers", of: "1")?["rule"] == "spent")
        await refunds.stop()
        await installation.stop()
    }

    /// Returns the rules file of the manual.
    private static func manualRules() throws -> String {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        let manual = try String(contentsOf: folder.appending(path: "deploy/README.md"), encoding: .utf8)
        let section = try #require(manual.split(separator: "\n## ").first { $0.hasPrefix("Refund rules\n") })
        return String(try #require(section.split(separator: "```json\n").dropFirst().first).prefix { $0 != "`" })
    }
}
