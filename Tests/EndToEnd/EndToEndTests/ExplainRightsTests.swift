import AppStoreModel
import Foundation
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// `sluicectl explain` by a user with the rights of `sluice-entitlements`, on a broker that denies all others.
    @Suite(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)"), .timeLimit(.minutes(10)))
    struct ExplainRightsOnApacheKafka {
        private static let user = "sluice-entitlements"
        private static let flags = ["--entitlements.stories", "true"]

        private func explain(_ key: String, _ secured: SecuredBroker, _ harness: Harness) async throws -> Finished {
            try await harness.sluicectl(
                ["explain", key] + secured.broker.tapArguments
                    + (try secured.settings(of: Self.user)))
        }

        private func gap(_ answer: Finished, naming topic: KafkaTopic) throws -> (what: String, fix: String)? {
            for gap in try answer.json.objects("gaps") {
                guard let what = gap.text("what"), let fix = gap.text("fix") else { continue }
                if what.contains("not searched"), what.contains(topic.rawValue) { return (what, fix) }
            }
            return nil
        }

        private func right(_ operation: String, _ topic: KafkaTopic) -> SecuredBroker.Right {
            SecuredBroker.Right(
                executable: Self.user, resource: "topic", name: topic.rawValue, operation: operation)
        }

        @Test func `a topic that the user may not read, or not describe, is a gap with its cause and fix`()
            async throws
        {
            try await Harness.open { harness in
                let secured = try await SecuredBroker(harness, users: [Self.user])
                try await secured.grant(Self.user, Self.flags)
                let topics = secured.administrator.topics
                let (input, quarantine) = (topics.notifications(.production), topics.quarantine)
                let app = try await harness.simulatedApp()
                let ingress = try await harness.ingress(on: secured.administrator, for: app)
                _ = try await harness.post(to: ingress, ["--scenario", "subscription-renewing"])
                // A topic without records is not read.
                try await secured.administrator.write([
                    KafkaProducerRecord(topic: quarantine, key: Array("a".utf8), value: Array("a".utf8))
                ])
                let record = try #require(try await secured.administrator.records(of: input).first)
                let key = String(decoding: record.key ?? [], as: UTF8.self)

                let more = [topics.erasures, topics.reconciliation(.production)]
                try await secured.granting(more.map { right("Read", $0) }) {
                    let answer = try await explain(key, secured, harness)
                    #expect(answer.end == .exit(0), "\(answer)")
                    #expect(try answer.json.flag("complete") == true)
                }
                try await secured.without(right("Read", quarantine)) {
                    try await secured.granting([right("Describe", quarantine)]) {
                        let answer = try await explain(key, secured, harness)
                        #expect(answer.end == .exit(3), "\(answer)")
                        #expect(try answer.json.flag("found") == true)
                        #expect(try answer.json.flag("complete") == false)
                        let gap = try #require(try gap(answer, naming: quarantine), "\(answer)")
                        #expect(gap.what.contains("may describe but not read"))
                        #expect(gap.fix.contains("sluicectl topics acls"))
                    }
                }
                try await secured.without(right("Read", input)) {
                    try await secured.without(right("Describe", input)) {
                        let answer = try await explain(key, secured, harness)
                        #expect(answer.end == .exit(3), "\(answer)")
                        let gap = try #require(try gap(answer, naming: input), "\(answer)")
                        #expect(gap.what.contains("may not describe"))
                        #expect(gap.fix.contains("sluicectl topics acls"))
                    }
                }
                try await secured.cluster.stop()
            }
        }
    }
}
