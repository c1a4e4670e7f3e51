import AppStoreModel
import Foundation
import JSON
import Kafka
import KafkaDevBroker
import KeyedState
import Records
import RefundRules
import SQLite
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl refunds` on the embedded broker.
@Suite(.timeLimit(.minutes(5)))
struct RefundsCommandTests {
    private let names = TopicNames(prefix: "ref\(UUID().uuidString.lowercased().prefix(8))")
    private let broker: DevBroker
    private let configuration: KafkaConfiguration

    private var topic: KafkaTopic { names.refunds(.production) }
    private var flags: [String] {
        ["--kafka.bootstrap.servers", broker.bootstrapServers, "--topics.prefix", names.prefix]
    }

    init() throws {
        broker = try DevBroker(topics: [
            names.refunds(.production): 2, names.refunds(.sandbox): 2, names.refundPreferences: 1,
        ])
        configuration = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
    }

    private func at(_ hours: Int64) -> AppStoreInstant {
        AppStoreInstant(clampingMillisecondsSince1970: Signed.now).advanced(byMilliseconds: hours * 3_600_000)
    }

    private func refund(_ id: String, requested hours: Int64? = -1) throws -> RefundCase {
        var refund = RefundCase(
            environment: .production, bundleId: BundleId("com.example.app"), transactionId: TransactionId(id))
        let payload: JSONObject = [
            "signedDate": .integer(at(-2).millisecondsSince1970), "productId": "coins", "type": "Consumable",
            "price": 4990, "currency": "USD", "inAppOwnershipType": "PURCHASED",
        ]
        refund.transaction = RefundTransaction(try TransactionPayload(json: JSONValue.object(payload).json))
        if let hours {
            refund.insert(
                RefundRequest(
                    notificationUUID: NotificationUUID("u\(id)"), signedDate: at(hours), receivedAt: at(hours),
                    reason: .unintendedPurchase))
        }
        return refund
    }

    private func answer(_ rule: String) -> FrozenAnswer {
        FrozenAnswer(
            through: at(-1), decidedAt: at(0), source: .rules, rule: rule, outcome: "decline", form: 2, body: "{}")
    }

    private func write(_ refunds: [RefundCase], proposing proposal: FrozenAnswer? = nil) async throws {
        let producer = try KafkaProducer(configuration, topics: [topic])
        for refund in refunds {
            _ = try await producer.send(
                KafkaProducerRecord(
                    topic: topic, key: Array(RecordKey.transaction(refund.bundleId, refund.transactionId).utf8),
                    value: refund.jsonText(), headers: proposal.map { [StateProposal.header($0.json)] } ?? []),
                deadline: .seconds(10))
        }
        await producer.close(within: .seconds(5))
    }

    @Test func `due cases are listed by deadline, with the remaining time and the last failure`() async throws {
        var failing = try refund("2", requested: -11)
        failing.obstacle = AnswerObstacle(
            through: at(-11), at: at(0), reason: "api_unavailable", status: 500,
            message: "the App Store Server API answered 500")
        var accepted = try refund("3")
        accepted.insert(AnswerAcceptance(through: at(-1), at: at(0), attempts: 1))
        try await write([try refund("1", requested: -1), failing, accepted])
        let (exitCode, printed) = await sluicectl(["refunds", "due"] + flags)
        #expect(exitCode == 0, "\(printed.complaints)")
        let lines = printed.output.split(separator: "\n")
        try #require(lines.count == 3)
        #expect(
            lines[1].hasPrefix("1h 0m") && lines[1].contains("api_unavailable") && lines[1].contains("answered 500")
                && lines[1].hasSuffix("com.example.app/2"))
        #expect(lines[2].hasPrefix("11h 0m") && lines[2].hasSuffix("com.example.app/1"))
        await broker.stop()
    }

    @Test func `cases are listed newest first, complete in JSON, and filtered by status`() async throws {
        var missed = try refund("2", requested: -20)
        missed.insert(AnswerEnd(.missed, through: at(-20), at: at(-8), reason: "no_answer_accepted"))
        var consent = try refund("70", requested: nil)
        consent.consentRescindedAt = at(-1)
        try await write([missed, try refund("1"), consent])
        let (_, printed) = await sluicectl(["refunds", "list", "--output", "json"] + flags)
        #expect(try printed.objects.map { $0["transactionId"] } == ["1", "2"])
        let (_, filtered) = await sluicectl(["refunds", "list", "--status", "missed"] + flags)
        #expect(filtered.output.contains("com.example.app/2") && !filtered.output.contains("com.example.app/1"))
        #expect(filtered.output.contains("4.99 USD"))
        await broker.stop()
    }

    @Test func `a case shows its requests, its frozen answer and its outcome`() async throws {
        var refund = try refund("1")
        refund.insert(RefundVerdict(.declined, signedDate: at(0)))
        try await write([refund], proposing: answer("coins"))
        let (exitCode, printed) = await sluicectl(["refunds", "show", "1"] + flags)
        #expect(exitCode == 0, "\(printed.complaints)")
        for text in ["UNINTENDED_PURCHASE", "coins", "decline", "{}", "declined"] {
            #expect(printed.output.contains(text), "\(printed.output)")
        }
        let (missing, complaint) = await sluicectl(["refunds", "show", "9"] + flags)
        #expect(missing == 1 && complaint.complaints.contains { $0.contains("no refund case") })
        await broker.stop()
    }

    @Test func `an operator's answer is proposed for the case, and only printed without --yes`() async throws {
        try await write([try refund("1")])
        let arguments = [
            "refunds", "answer", "1", "--outcome", "decline", "--consented", "--delivery-status", "DELIVERED",
            "--no-sample-content", "--consumption-percentage", "100000",
        ]
        let body =
            #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,"#
            + #""consumptionPercentage":100000,"refundPreference":"DECLINE"}"#
        let (dry, printed) = await sluicectl(arguments + flags)
        #expect(dry == 1 && printed.output == body + "\n")
        let (exitCode, done) = await sluicectl(arguments + ["--yes"] + flags)
        #expect(exitCode == 0, "\(done.complaints)")
        let (again, refused) = await sluicectl(arguments + ["--yes"] + flags)
        #expect(
            again == 1 && refused.complaints.contains { $0.contains("this case already has a frozen answer: decline") })
        await broker.stop()
    }

    @Test func `an answer without consent is refused`() async throws {
        try await write([try refund("1")])
        let (exitCode, printed) = await sluicectl(["refunds", "answer", "1", "--outcome", "decline", "--yes"] + flags)
        #expect(exitCode == 64 && printed.complaints.contains { $0.contains("--consented") })
        let (_, planned) = await sluicectl(
            ["refunds", "answer", "1", "--outcome", "doNotAnswer", "--output", "json"] + flags)
        #expect(planned.output == "null\n")
        let (without, done) = await sluicectl(
            ["refunds", "answer", "1", "--outcome", "doNotAnswer", "--yes"] + flags)
        #expect(without == 0, "\(done.complaints)")
        await broker.stop()
    }

    @Test func `statistics count outcomes by rule, answer and reason`() async throws {
        var granted = try refund("1")
        granted.insert(answer("coins"))
        granted.insert(AnswerAcceptance(through: at(-1), at: at(0), attempts: 1))
        granted.insert(RefundVerdict(.granted, signedDate: at(0)))
        var declined = try refund("2")
        declined.insert(answer("coins"))
        declined.insert(AnswerAcceptance(through: at(-1), at: at(0), attempts: 1))
        declined.insert(RefundVerdict(.declined, signedDate: at(0)))
        try await write([granted, declined, try refund("3")])
        let (_, printed) = await sluicectl(["refunds", "stats", "--output", "json"] + flags)
        let groups = try #require(try printed.objects.first?["groups"]?.array)
        #expect(
            groups == [
                [
                    "rule": "-", "answer": "waiting", "reason": "UNINTENDED_PURCHASE", "rounds": 1, "granted": 0,
                    "declined": 0, "reversed": 0, "silent": 1,
                ],
                [
                    "rule": "coins", "answer": "decline", "reason": "UNINTENDED_PURCHASE", "rounds": 2, "granted": 1,
                    "declined": 1, "reversed": 0, "silent": 0,
                ],
            ])
        await broker.stop()
    }

    @Test func `another answer is sent in its own round, unless Apple accepted the first`() async throws {
        var refused = try refund("1")
        refused.insert(answer("coins"))
        refused.insert(AnswerEnd(.refused, through: at(-1), at: at(0), reason: "4000036"))
        var accepted = try refund("2")
        accepted.insert(AnswerAcceptance(through: at(-1), at: at(0), attempts: 1))
        try await write([refused, accepted])
        func arguments(_ id: String) -> [String] {
            [
                "refunds", "answer", id, "--again", "--outcome", "grantFull", "--consented", "--delivery-status",
                "DELIVERED", "--no-sample-content", "--yes",
            ]
        }
        let (exitCode, done) = await sluicectl(arguments("1") + flags)
        #expect(exitCode == 0, "\(done.complaints)")
        let (_, shown) = await sluicectl(["refunds", "show", "1"] + flags)
        #expect(shown.output.contains("round 2") && shown.output.contains("GRANT_FULL"))
        let (again, complaint) = await sluicectl(arguments("2") + flags)
        #expect(again == 1 && complaint.complaints.contains { $0.contains("Apple has accepted the answer") })
        await broker.stop()
    }

    @Test func `an answer without a member that Apple requires is refused`() async throws {
        try await write([try refund("1")])
        let (exitCode, printed) = await sluicectl(
            ["refunds", "answer", "1", "--outcome", "decline", "--consented", "--yes"] + flags)
        #expect(exitCode == 64 && printed.complaints.contains { $0.contains("--delivery-status") })
        await broker.stop()
    }

    @Test func `rules are tried on the topic, with amounts, decisions and changes`() async throws {
        var granted = try refund("1")
        granted.insert(answer("coins"))
        granted.insert(AnswerAcceptance(through: at(-1), at: at(0), attempts: 1))
        granted.insert(RefundVerdict(.granted, signedDate: at(0)))
        try await write([granted, try refund("2")])
        let directory = try TemporaryDirectory()
        let rules = try directory.write(
            """
            {"default":"noPreference","consumption":{"customerConsented":true,"deliveryStatus":"DELIVERED",
            "sampleContentProvided":false},"rules":[{"name":"mistake","when":{"reason":["UNINTENDED_PURCHASE"]},
            "outcome":"grantFull"}]}
            """, to: "rules.json")
        let (exitCode, printed) = await sluicectl(["refunds", "try", "--rules", rules, "--output", "json"] + flags)
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(
            try printed.objects.first?["groups"] == [
                [
                    "rule": "mistake", "answer": "grantFull", "rounds": 2, "amounts": ["USD": 9980], "granted": 1,
                    "declined": 0, "reversed": 0, "changed": 2,
                ]
            ])
        let (same, unchanged) = await sluicectl(
            ["refunds", "try", "--rules", rules, "--refunds.rules", rules] + flags)
        #expect(same == 0 && unchanged.output.contains("19.96") == false && unchanged.output.contains("9.98 USD"))
        let wrong = try directory.write(#"{"default":"x"}"#, to: "wrong.json")
        let (refused, complaint) = await sluicectl(["refunds", "try", "--rules", wrong] + flags)
        #expect(refused == 78 && complaint.complaints.contains { $0.contains("default: expected one of") })
        await broker.stop()
    }

    @Test func `rules are tried on the archive, with the number of unreadable records`() async throws {
        let archive = try TestArchive()
        var granted = try refund("1")
        granted.insert(answer("coins"))
        granted.insert(RefundVerdict(.granted, signedDate: at(0)))
        try await archive.write(
            [granted, try refund("2"), try refund("3")].map { refund in
                KafkaProducerRecord(
                    topic: archive.names.refunds(.production),
                    key: Array(RecordKey.transaction(refund.bundleId, refund.transactionId).utf8),
                    value: refund.jsonText())
            })
        try archive.erase("3")
        let rules = try archive.directory.write(
            """
            {"default":"decline","consumption":{"customerConsented":true,"deliveryStatus":"DELIVERED",
            "sampleContentProvided":false}}
            """, to: "rules.json")
        let command = ["refunds", "try", "--rules", rules, "--from-archive", "--output", "json"]
        let (exitCode, printed) = await sluicectl(command + archive.flags)
        #expect(exitCode == 0, "\(printed.complaints)")
        let group = try printed.objects.first?["groups"]?.array?.first?.object
        #expect(group?["rounds"] == 2 && group?["granted"] == 1)
        #expect(printed.complaints.contains { $0.contains("can no longer be read: 1 erased") })
        let database = try Database(path: archive.directory.file("keys.sqlite"), access: .sharedWriter)
        try database.executeScript("DELETE FROM data_keys")
        database.close()
        let (partial, unknown) = await sluicectl(command + archive.flags)
        #expect(partial == 1)
        #expect(unknown.complaints.contains { $0.contains("can no longer be read: 3 key_unknown") })
        let (refused, complaint) = await sluicectl(command + archive.place)
        #expect(refused == 78 && complaint.complaints.contains { $0.contains("archive.key.store") })
        await broker.stop()
    }

    @Test func `a preference is set, shown, changed member by member and withdrawn`() async throws {
        let customer = "7E3FB204-2D5B-4A5C-8F1E-000000000001"
        let command = ["refunds", "preference"]
        let (none, complaint) = await sluicectl(command + ["show", customer] + flags)
        #expect(none == 1 && complaint.complaints.contains { $0.contains("no preference is recorded") })
        let (first, _) = await sluicectl(
            command + ["set", customer, "--consent", "true", "--stated-at", "2026-11-25T12:00:00Z"] + flags)
        let (second, _) = await sluicectl(command + ["set", customer, "--preference", "grantFull"] + flags)
        #expect(first == 0 && second == 0)
        let (_, shown) = await sluicectl(command + ["show", customer.lowercased()] + flags)
        #expect(
            shown.output == #"{"consent":true,"since":"2026-11-25T12:00:00.000Z","preference":"grantFull"}"# + "\n")
        let (withdrawn, printed) = await sluicectl(command + ["withdraw", customer] + flags)
        #expect(withdrawn == 0 && printed.output.contains(#""consent":false"#) && printed.output.contains("withdrawn"))
        let (wrong, refused) = await sluicectl(command + ["set", "somebody", "--consent", "true"] + flags)
        #expect(wrong == 64 && refused.complaints.contains { $0.contains("neither an appAccountToken") })
        await broker.stop()
    }

    @Test func `an erasure covers each case of the person, and records a withdrawal`() async throws {
        let customer = "7E3FB204-2D5B-4A5C-8F1E-000000000001"
        func named(_ id: String, _ token: String) throws -> RefundCase {
            var refund = try refund(id)
            refund.transaction?.appAccountToken = AppAccountToken(token)
            return refund
        }
        try await write([try named("1", customer.lowercased()), try named("2", customer), try refund("3")])
        _ = await sluicectl(["refunds", "preference", "set", customer, "--consent", "true"] + flags)
        let arguments = ["refunds", "erase", customer]
        let (dry, printed) = await sluicectl(arguments + flags)
        let expected = """
            case com.example.app/1
            case com.example.app/2
            preference \(customer.lowercased())

            """
        #expect(dry == 1 && printed.output == expected, "\(printed.complaints)")
        func object(ok: Bool) -> String {
            """
            {"ok":\(ok),"cases":[{"bundleId":"com.example.app","transactionId":"1"},\
            {"bundleId":"com.example.app","transactionId":"2"}],"preferences":["\(customer.lowercased())"]}

            """
        }
        let (planned, plan) = await sluicectl(arguments + ["--output", "json"] + flags)
        #expect(planned == 1 && plan.output == object(ok: false), "\(plan.output)")
        let (_, before) = await sluicectl(["refunds", "list", "--output", "json"] + flags)
        #expect(before.output.split(separator: "\n").count == 3)
        let (exitCode, done) = await sluicectl(arguments + ["--yes", "--output", "json"] + flags)
        #expect(exitCode == 0 && done.output == object(ok: true), "\(done.output) \(done.complaints)")
        let (_, after) = await sluicectl(["refunds", "list", "--output", "json"] + flags)
        #expect(after.output.split(separator: "\n").count == 1 && after.output.contains(#""3""#))
        let (_, shown) = await sluicectl(["refunds", "preference", "show", customer] + flags)
        #expect(shown.output == #"{"withdrawn":true}"# + "\n")
        let (unknownCode, complaint) = await sluicectl(["refunds", "erase", "999"] + flags)
        #expect(
            unknownCode == 1
                && complaint.complaints.contains { $0.contains("no refund case or preference has the id 999") })
        await broker.stop()
    }
}
