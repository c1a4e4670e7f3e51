import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// `/v1/story` of `sluice-entitlements` with exactly the rights printed by `sluicectl topics acls`, on a broker
    /// that denies all others.
    @Suite(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)"), .timeLimit(.minutes(20)))
    struct StoryRightsOnApacheKafka {
        private static let executable = "sluice-entitlements"
        private static let flags = ["--entitlements.stories", "true"]

        /// Returns the response about a record key in each environment.
        private func answers(
            of key: String, _ entitlements: Entitlements, _ client: HTTPClient
        ) async throws -> [(status: Int, text: String)] {
            var answers: [(status: Int, text: String)] = []
            for environment in AppStoreEnvironment.published.map(\.rawValue) {
                let url = "\(entitlements.url)/v1/story?id=\(key)&environment=\(environment)"
                let response = try await client.send(HTTPClientRequest(url: url, timeout: .seconds(30)))
                answers.append((response.status, String(decoding: response.body, as: UTF8.self)))
            }
            return answers
        }

        /// Returns the stories of a record key, once the member is ready.
        private func stories(
            of key: String, _ entitlements: Entitlements, _ client: HTTPClient
        ) async throws -> [JSON.Object] {
            var answers: [(status: Int, text: String)] = []
            let areTold = try await eventually(within: .seconds(60)) {
                await pass(.milliseconds(200))
                answers = try await self.answers(of: key, entitlements, client)
                return answers.allSatisfy { $0.status == 200 }
            }
            try #require(areTold, "\(answers); \(entitlements.process)")
            return answers.compactMap { JSON.object($0.text) }
        }

        private func gaps(_ stories: [JSON.Object]) -> [String] {
            stories.flatMap { $0.objects("gaps").compactMap { $0.text("what") } }
        }

        @Test func `a story is told with the printed rights, nothing is denied, and a missing right is reported`()
            async throws
        {
            try await Harness.open { harness in
                let secured = try await SecuredBroker(harness, users: [Self.executable])
                try await secured.grant(Self.executable, Self.flags)
                let app = try await harness.simulatedApp()
                let ingress = try await harness.ingress(on: secured.administrator, for: app)
                let posted = try await harness.post(to: ingress, ["--scenario", "subscription-renewing"])
                #expect(!posted.isEmpty)
                let topics = secured.administrator.topics
                // A topic without records is not read. The dead letter topics of the member have rights besides Read.
                let letters = topics.deadLetters(of: Self.executable, partitions: 1).map(\.name)
                try await secured.administrator.write(
                    letters.map { KafkaProducerRecord(topic: $0, key: Array("a".utf8), value: Array("letter".utf8)) })
                var keys: [String] = []
                for environment in AppStoreEnvironment.published {
                    keys += try await secured.administrator.records(of: topics.notifications(environment))
                        .map { String(decoding: $0.key ?? [], as: UTF8.self) }
                }
                let key = try #require(keys.first)
                let entitlements = try await harness.entitlements(
                    on: secured.broker, settings: try secured.settings(of: Self.executable) + Self.flags)
                let client = HTTPClient()
                defer { client.close() }
                let told = try await stories(of: key, entitlements, client)
                #expect(told.contains { !$0.objects("timeline").isEmpty })
                let denied = gaps(told).filter { $0.contains("this user may") || $0.contains("were not read") }
                #expect(denied.isEmpty, "\(denied)")
                #expect(told.allSatisfy { $0.flag("complete") == true })
                #expect(secured.denials.isEmpty, "\(secured.denials.prefix(5))")

                let usual = Set(try await secured.rights(of: Self.executable).map(\.description))
                let rights = try await secured.rights(of: Self.executable, Self.flags)
                    .filter { !usual.contains($0.description) }
                #expect(rights.count > 10)
                for right in rights {
                    let refusals = secured.denials.count
                    try await secured.without(right) {
                        let isMissed = try await eventually(within: .seconds(20)) {
                            let answers = try await answers(of: key, entitlements, client)
                            return answers.contains { $0.status == 503 || $0.text.contains(right.name) }
                                || secured.hasRefused(right, after: refusals)
                        }
                        #expect(isMissed, "\(right)")
                    }
                }
                try await secured.cluster.stop()
            }
        }
    }
}
