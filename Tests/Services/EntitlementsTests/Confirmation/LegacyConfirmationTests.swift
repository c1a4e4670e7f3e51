import AppStoreModel
import EntitlementRules
import JSON
import Kafka
import Lifecycle
import Records
import Simulator
import Telemetry
import TestSupport
import Testing

@testable import Entitlements

/// Version 1 notifications in the whole service with an embedded broker: the entitlements that they grant, and Apple's
/// confirmation.
@Suite(.timeLimit(.minutes(10))) struct LegacyConfirmationTests {
    private let outcomes = "sluice_entitlements_confirmations_total"

    private func query(_ purchase: String) -> String { "?originalTransactionId=\(purchase)" }

    /// Returns the state, trust and confirmation status of the only grant.
    private func line(_ service: RunningEntitlements, _ purchase: String) async throws -> String {
        let body = try await service.get(query(purchase)).body
        let grant = body.allGrants.first
        return [
            grant?["state"]?.string ?? "none", grant?["trust"]?.string ?? "signed",
            grant?["awaitsConfirmation"]?.bool == true ? "waits" : "settled",
        ].joined(separator: " ")
    }

    @Test func `a forged renewal grants nothing, and Apple is queried again while the renewal is unknown`() async throws
    {
        let installation = try await Installation("forged")
        let store = try SimulatedAppStore()
        let directory = try TemporaryDirectory()
        let life = PresentLife("1000")
        store.register(life.expired, status: 2)
        let topic = installation.notifications(.production)
        try await installation.write([
            life.bought.produced(in: topic), life.renewed.unsigned.produced(in: topic),
            // Apple does not know this purchase.
            PresentLife("2000").renewed.unsigned.produced(in: topic),
        ])
        let service = try await RunningEntitlements(
            installation.configuration(data: directory.path, store.settings))
        try await waitUntil(within: .seconds(25)) {
            service.metric(self.outcomes + "{outcome=\"unknown\"}") >= 2
        }
        #expect(try await line(service, "1000") == "EXPIRED signed waits")
        #expect(try await line(service, "2000") == "UNCONFIRMED shared-secret waits")
        let body = try await service.get(query("1000")).body
        #expect(body["active"] == [] && body["trust"] == "signed")
        #expect(store.api.requests(of: .getAllSubscriptionStatuses) >= 2)
        #expect(store.api.requests(of: .getTransactionInfo) >= 2)
        // Identical log lines are limited to one per second.
        #expect(
            service.log.lines.contains {
                $0.contains("so it is new or forged") && ($0.contains("\"1000\"") || $0.contains("\"2000\""))
            })
        // The event remains in the history, with its trust.
        let events = try await service.get(query("1000"), path: "/v1/history").body["purchases"]?.array?.first?
            .object?["events"]?.array?.compactMap { $0.object?["trust"]?.string }
        #expect(events == ["shared-secret"])
        #expect(await service.stop() == .ok)
        await store.stop()
        await installation.stop()
    }

    @Test func `an authentic renewal is confirmed with one request, even if reported repeatedly`() async throws {
        let installation = try await Installation("confirmed")
        let store = try SimulatedAppStore()
        let directory = try TemporaryDirectory()
        let life = PresentLife("1000")
        store.register(life.renewed)
        let topic = installation.notifications(.production)
        try await installation.write(
            [life.bought.produced(in: topic), life.bought.unsigned.produced(in: topic)]
                + (0..<5).map { life.renewed.dated(life.now - 5_000 + $0).unsigned.produced(in: topic) })
        // The first run has no API, so all purchases wait for confirmation.
        let before = try await RunningEntitlements(
            installation.configuration(data: directory.path, SimulatedAppStore.app))
        try await before.finish(7)
        #expect(try await line(before, "1000") == "EXPIRED signed waits")
        #expect(before.log.lines.contains { $0.contains("cannot be confirmed") && $0.contains("legacy.trust") })
        #expect(before.metric("sluice_entitlements_unconfirmable_total") >= 1)
        #expect(await before.stop() == .ok)

        let service = try await RunningEntitlements(
            installation.configuration(data: directory.path, store.settings))
        try await waitUntil(within: .seconds(25)) {
            try await self.line(service, "1000") == "ACTIVE signed settled"
        }
        let body = try await service.get(query("1000")).body
        #expect(body["active"] == ["com.example.monthly"] && body["trust"] == "signed")
        #expect(body["grants"]?.array?.first?.object?["transactionId"] == "10002")
        #expect(store.api.requests(of: .getAllSubscriptionStatuses) == 1)
        #expect(store.api.requests(of: .getTransactionInfo) == 0)
        // The published row contains the same data.
        let published = try #require(try await installation.read(installation.state(.production)).last?.value)
        let facts = try PurchaseFacts(published: published)
        #expect(!facts.hasUnsettledLegacy && facts.transactions[TransactionId("10002")] != nil)
        #expect(try JSONValue(json: published).object?["active"] == ["com.example.monthly"])
        #expect(await service.stop() == .ok)
        await store.stop()
        await installation.stop()
    }

    @Test func `a purchase unknown to Apple is confirmed when Apple returns it`() async throws {
        let installation = try await Installation("new")
        let store = try SimulatedAppStore()
        let directory = try TemporaryDirectory()
        let life = PresentLife("1000")
        try await installation.write([life.renewed.unsigned.produced(in: installation.notifications(.production))])
        let service = try await RunningEntitlements(
            installation.configuration(data: directory.path, store.settings))
        try await waitUntil(within: .seconds(25)) {
            service.metric(self.outcomes + "{outcome=\"unknown\"}") >= 1
        }
        #expect(try await line(service, "1000") == "UNCONFIRMED shared-secret waits")
        store.register(life.renewed)
        try await waitUntil(within: .seconds(40)) {
            try await self.line(service, "1000") == "ACTIVE signed settled"
        }
        #expect(await service.stop() == .ok)
        await store.stop()
        await installation.stop()
    }

    @Test func `an API outage grants nothing, even across a restart, and purchases are confirmed afterwards`()
        async throws
    {
        let installation = try await Installation("down")
        let store = try SimulatedAppStore()
        let directory = try TemporaryDirectory()
        let life = PresentLife("1000")
        store.register(life.renewed)
        store.api.faults = .always(.internalError)
        let topic = installation.notifications(.production)
        try await installation.write([
            life.bought.produced(in: topic), life.renewed.unsigned.produced(in: topic),
        ])
        let first = try await RunningEntitlements(
            installation.configuration(data: directory.path, store.settings))
        try await first.finish(2)
        try await waitUntil(within: .seconds(25)) {
            first.metric(self.outcomes + "{outcome=\"failed\"}") >= 1
        }
        #expect(try await line(first, "1000") == "EXPIRED signed waits")
        #expect(await first.stop() == .ok)

        let second = try await RunningEntitlements(
            installation.configuration(data: directory.path, store.settings))
        try await waitUntil(within: .seconds(25)) {
            second.metric(self.outcomes + "{outcome=\"failed\"}") >= 1
        }
        #expect(try await line(second, "1000") == "EXPIRED signed waits")
        store.api.faults = .none
        try await waitUntil(within: .seconds(25)) {
            try await self.line(second, "1000") == "ACTIVE signed settled"
        }
        // The outcome is counted after the answer has been merged.
        try await waitUntil { second.metric(self.outcomes + "{outcome=\"confirmed\"}") == 1 }
        #expect(await second.stop() == .ok)
        await store.stop()
        await installation.stop()
    }

    @Test func `an unsigned notification older than the signed facts changes nothing and is not queried`() async throws
    {
        let installation = try await Installation("older")
        let store = try SimulatedAppStore()
        let directory = try TemporaryDirectory()
        let (life, other) = (PresentLife("1000"), PresentLife("2000"))
        store.register(life.renewed)
        store.register(other.renewed)
        let topic = installation.notifications(.production)
        try await installation.write([
            life.renewed.produced(in: topic), life.bought.produced(in: topic),
            life.renewed.dated(life.renewed.signedDate - 500).unsigned.produced(in: topic),
            life.bought.unsigned.produced(in: topic), other.renewed.unsigned.produced(in: topic),
        ])
        let service = try await RunningEntitlements(
            installation.configuration(data: directory.path, store.settings))
        try await service.finish(5)
        // The other purchase was waiting, and has now been confirmed.
        try await waitUntil(within: .seconds(25)) {
            try await self.line(service, "2000") == "ACTIVE signed settled"
        }
        #expect(try await line(service, "1000") == "ACTIVE signed settled")
        #expect(store.api.requests(of: .getAllSubscriptionStatuses) == 1)
        #expect(await service.stop() == .ok)
        await store.stop()
        await installation.stop()
    }

    @Test func `a refund of a one-time purchase is confirmed with its transaction`() async throws {
        let installation = try await Installation("one-time")
        let store = try SimulatedAppStore()
        let directory = try TemporaryDirectory()
        let now = PresentLife("3000").now
        func thing(_ type: String, signed: Int64, revoked: Int64?) -> Draft {
            var transaction: JSONObject = [
                "transactionId": "3000", "productId": "thing", "type": "Non-Consumable", "quantity": 1,
                "inAppOwnershipType": "PURCHASED", "purchaseDate": .integer(now - 9 * day),
            ]
            transaction["revocationDate"] = revoked.map { .integer($0) }
            return Draft(type, signed: signed, purchase: "3000", status: nil, transaction: transaction)
        }
        store.register(thing("REFUND", signed: now - 500, revoked: now - 1000), status: nil)
        let topic = installation.notifications(.production)
        try await installation.write([
            thing("ONE_TIME_CHARGE", signed: now - 9 * day, revoked: nil).produced(in: topic),
            thing("REFUND", signed: now - 1000, revoked: now - 1000).unsigned.produced(in: topic),
        ])
        let service = try await RunningEntitlements(
            installation.configuration(data: directory.path, store.settings))
        try await waitUntil(within: .seconds(25)) {
            try await self.line(service, "3000") == "REVOKED signed settled"
        }
        #expect(store.api.requests(of: .getTransactionInfo) == 1)
        #expect(store.api.requests(of: .getAllSubscriptionStatuses) == 0)
        #expect(await service.stop() == .ok)
        await store.stop()
        await installation.stop()
    }

    @Test func `an app that the API refuses does not keep another app's purchases waiting`() async throws {
        let installation = try await Installation("other-app")
        let store = try SimulatedAppStore()
        let directory = try TemporaryDirectory()
        let life = PresentLife("1000")
        store.register(life.renewed)
        let topic = installation.notifications(.production)
        // The key is not valid for this app, and more of its purchases are due than one planning round reads.
        let refused = (0..<1_200).map { number in
            var draft = PresentLife("\(5_000 + number)").renewed.dated(life.renewed.signedDate - 3_600_000).unsigned
            draft.bundleId = "com.other"
            draft.notification["data"] = ["environment": "Production", "bundleId": "com.other", "status": 1]
            draft.transaction?["bundleId"] = "com.other"
            draft.renewalInfo?["bundleId"] = "com.other"
            return draft.produced(in: topic)
        }
        try await installation.write(refused)
        let settings = store.settings.map { $0 == "com.example:1" ? "com.example:1,com.other:2" : $0 }
        let service = try await RunningEntitlements(installation.configuration(data: directory.path, settings))
        try await service.finish(Double(refused.count))
        try await waitUntil(within: .seconds(60)) {
            service.metric("sluice_entitlements_confirmations_paused") == 1
        }
        try await installation.write([life.renewed.unsigned.produced(in: topic)])
        try await waitUntil(within: .seconds(60)) {
            try await self.line(service, "1000") == "ACTIVE signed settled"
        }
        #expect(await service.stop() == .ok)
        await store.stop()
        await installation.stop()
    }

    @Test(arguments: [
        ("confirm", "UNCONFIRMED shared-secret waits", [], "signed"),
        ("accept", "ACTIVE shared-secret settled", ["com.example.monthly"], "shared-secret"),
        ("observe", "none signed settled", [], "signed"),
    ])
    func `without the API the app's policy decides, and the answer contains the trust`(
        policy: String, expected: String, active: [JSONValue], trust: String
    ) async throws {
        let installation = try await Installation("policy-\(policy)")
        let directory = try TemporaryDirectory()
        let topic = installation.notifications(.production)
        try await installation.write([PresentLife("1000").renewed.unsigned.produced(in: topic)])
        let service = try await RunningEntitlements(
            installation.configuration(
                data: directory.path,
                SimulatedAppStore.app + ["--apps.com.example.legacy.trust", policy, "--legacy.trust", "observe"]))
        try await service.finish(1)
        #expect(try await line(service, "1000") == expected)
        let body = try await service.get(query("1000")).body
        #expect(body["active"] == .array(active) && body["trust"]?.string == trust)
        #expect(body["known"] == true)
        let waits = body["purchases"]?.array?.first?.object?["awaitsConfirmation"]?.bool
        #expect(waits == (policy == "confirm" ? true : nil))
        #expect(await service.stop() == .ok)
        await installation.stop()
    }
}
