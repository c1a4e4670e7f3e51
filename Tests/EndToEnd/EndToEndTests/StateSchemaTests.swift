import AppStoreModel
import Foundation
import JSONTestSupport
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// The values of the state topics conform to the published schemas.
    @Suite struct StateSchemas {
        @Test func `every entitlement record of the simulator's scenarios satisfies its schema`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                _ = try await harness.entitlements(on: broker)
                let posted = try await harness.post(
                    to: ingress, ["--scenario", "all", "--accounts", "60"])
                let purchases = Set(posted.compactMap { $0.text("originalTransactionId") })
                try #require(purchases.count > 40)
                let topic = broker.entitlements(.production)
                try await waitUntil(within: .seconds(60)) {
                    Set(try await broker.records(of: topic).compactMap(\.key)).count >= purchases.count
                }
                let values = try await broker.records(of: topic).compactMap(\.value)
                try check(values, "entitlement-record.schema.json")
                try refuse(
                    try #require(values.last), "entitlement-record.schema.json", lacking: ["version", "facts"],
                    changing: ["active": "pro", "environment": "Xcode", "grants": [["state": "ACTIVE"]]])
            }
        }

        @Test func `every refund record of the simulator's refund requests satisfies its schema`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker(groups: ["sluice-refunds"])
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let api = try await RefundsAPI(harness, [])
                let member = try harness.refunds(on: broker, api)
                let posted = try await harness.post(
                    to: ingress, ["--scenario", "all", "--accounts", "60"])
                let refunds = Set(["CONSUMPTION_REQUEST", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED"])
                let requests = posted.filter { $0.text("notificationType").map(refunds.contains) ?? false }
                try #require(requests.count > 10)
                let topic = broker.topics.refunds(.production)
                func values() async throws -> [[UInt8]] { try await broker.records(of: topic).compactMap(\.value) }
                try await waitUntil(within: .seconds(60)) {
                    let statuses = try await RefundRequests.statuses(broker).values
                    return statuses.contains("accepted") && !statuses.contains("waiting") || member.ended != nil
                }
                try check(try await values(), "refund-record.schema.json")
                let answered = try await values().last {
                    String(decoding: $0, as: UTF8.self).contains(#""answers":"#)
                }
                try refuse(
                    try #require(answered), "refund-record.schema.json", lacking: ["transactionId"],
                    changing: ["formatVersion": 1, "answers": "none", "requests": [["notificationUUID": "u"]]])
                await member.stop()
            }
        }

        /// Checks that all values conform to the schema, and that it names all of their members.
        private func check(_ values: [[UInt8]], _ name: String) throws {
            let schema = try JSONSchema.deployed(name)
            #expect(!values.isEmpty)
            for value in values {
                let faults = schema.faults(in: value)
                #expect(faults.isEmpty, "\(faults): \(String(decoding: value, as: UTF8.self))")
                #expect(schema.unnamedMembers(of: value) == [])
            }
        }

        /// Checks that the schema rejects a value without any one of these members, or with any one of these changes.
        private func refuse(
            _ value: [UInt8], _ name: String, lacking members: [String], changing changes: [String: Any]
        ) throws {
            let schema = try JSONSchema.deployed(name)
            #expect(schema.faults(in: value).isEmpty)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(value)) as? [String: Any])
            func text(_ member: String, _ change: Any?) throws -> [UInt8] {
                var changed = object
                changed[member] = change
                return Array(try JSONSerialization.data(withJSONObject: changed))
            }
            for member in members { #expect(try !schema.faults(in: text(member, nil)).isEmpty, "\(member)") }
            for (member, change) in changes {
                #expect(try !schema.faults(in: text(member, change)).isEmpty, "\(member)")
            }
        }
    }
}
