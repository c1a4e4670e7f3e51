import AppStoreModel
import JSON
import Kafka
import Lifecycle
import Primitives
import Records
import TestSupport
import Testing

@testable import Entitlements

/// `POST /v1/claims` of the whole service with an embedded broker: the new owner of a purchase, and the required proof.
@Suite(.timeLimit(.minutes(5))) struct ClaimTests {
    private let one = account
    private let other = "00000000-2d5b-4a5c-8f1e-0a1b2c3d4e5f"
    private let now = Clocks.system.wallMilliseconds()

    private func withService(
        _ name: String, _ body: (RunningEntitlements, SigningAppStore, Installation) async throws -> Void
    ) async throws {
        let installation = try await Installation(name)
        let signer = try SigningAppStore()
        let directory = try TemporaryDirectory()
        let service = try await RunningEntitlements(
            installation.configuration(data: directory.path, signer.settings))
        try await body(service, signer, installation)
        #expect(await service.stop() == .ok)
        await installation.stop()
    }

    private func claim(
        _ token: String, _ further: JSONObject = JSONObject(), of purchase: String = "1000"
    ) -> JSONObject {
        let claim: JSONObject = [
            "bundleId": "com.example", "originalTransactionId": .string(purchase), "appAccountToken": .string(token),
        ]
        return claim.merging(further)
    }

    private func active(_ service: RunningEntitlements, _ token: String) async throws -> JSONValue? {
        try await service.get("?appAccountToken=\(token)").body["active"]
    }

    @Test func `a claim with a configured app and a valid id may precede the first notification`()
        async throws
    {
        try await withService("early") { (service, _, installation) async throws in
            func status(_ id: String, app: String = "com.example") async throws -> Int {
                try await service.post("/v1/claims", claim(one, ["bundleId": .string(app)], of: id)).status
            }
            #expect(try await status("1000") == 200)
            let early = try await service.get("?appAccountToken=\(one)").body
            #expect(early["known"] == true && early["active"] == [])
            #expect(try await status("1000", app: "com.example.other") == 404)
            #expect(try await status("1000/2") == 404)
            // The purchase was made without an appAccountToken, so it belongs to the account as soon as it arrives.
            try await installation.write([
                SigningAppStore.bought(token: nil).produced(in: installation.notifications(.production))
            ])
            try await service.finish(1)
            #expect(try await active(service, one) == ["com.example.monthly"])
        }
    }

    @Test(arguments: [true, false])
    func `a purchase of another account moves only with transfer and the signed transaction`(_ isNamed: Bool)
        async throws
    {
        try await withService("proof") { (service, signer, installation) async throws in
            let bought = SigningAppStore.bought(token: isNamed ? one : nil)
            try await installation.write([bought.produced(in: installation.notifications(.production))])
            try await service.finish(1)
            // A purchase of the same account, or of none, needs neither a transfer nor a proof.
            #expect(try await service.post("/v1/claims", claim(one)).status == 200)
            let proof = try signer.sign(bought.transaction)
            let imposter = try SigningAppStore().sign(bought.transaction)
            let foreign = try signer.sign(SigningAppStore.bought("2000").transaction)
            let sandbox = try signer.sign(SigningAppStore.bought(environment: .sandbox).transaction)
            let refused: [(JSONObject, Int, String)] = [
                (JSONObject(), 409, "belongs_to_another"), (["transfer": true], 409, "belongs_to_another"),
                (["signedTransactionInfo": proof], 409, "belongs_to_another"),
                (["transfer": false, "signedTransactionInfo": proof], 409, "belongs_to_another"),
                (["transfer": true, "signedTransactionInfo": imposter], 422, "not_verified"),
                (["transfer": true, "signedTransactionInfo": foreign], 422, "not_verified"),
                (["transfer": true, "signedTransactionInfo": sandbox], 422, "not_verified"),
                (["transfer": true, "signedTransactionInfo": 1], 400, "bad_request"),
            ]
            for (further, status, error) in refused {
                let answer = try await service.post("/v1/claims", claim(other, further))
                #expect(answer.status == status && answer.body["error"]?.string == error, "\(answer)")
            }
            #expect(try await active(service, one) == ["com.example.monthly"])
            let moved = try await service.post(
                "/v1/claims", claim(other, ["transfer": true, "signedTransactionInfo": proof]))
            #expect(moved.status == 200 && moved.body["appAccountToken"]?.string == other)
            #expect(try await active(service, other) == ["com.example.monthly"])
            #expect(try await active(service, one) == [])
            // Repeating the claim changes nothing and needs no proof.
            #expect(try await service.post("/v1/claims", claim(other)).status == 200)
            #expect(try await installation.read(installation.state(.production)).count == (isNamed ? 2 : 3))
        }
    }

    @Test func `a purchase by the first account after a transfer belongs to the first account`() async throws {
        try await withService("again") { (service, signer, installation) async throws in
            let topic = installation.notifications(.production)
            let bought = Draft(
                "SUBSCRIBED", "INITIAL_BUY", signed: now - 40 * day, purchase: "1000",
                transaction: period("10001", from: now - 40 * day, to: now - 10 * day, token: one)
                    .with("transactionReason", "PURCHASE"), renewalInfo: renewal(0))
            try await installation.write([bought.produced(in: topic)])
            try await service.finish(1)
            let proof = try signer.sign(bought.transaction)
            let moved = try await service.post(
                "/v1/claims", claim(other, ["transfer": true, "signedTransactionInfo": proof]))
            #expect(moved.status == 200)
            let later = Clocks.system.wallMilliseconds() + 1_000
            let again = Draft(
                "SUBSCRIBED", "RESUBSCRIBE", signed: later, purchase: "1000",
                transaction: period("10002", from: later, to: later + 30 * day, token: one)
                    .with("transactionReason", "PURCHASE"), renewalInfo: renewal())
            try await installation.write([again.produced(in: topic)])
            try await service.finish(2)
            let at = "&at=\(later + 60_000)"
            #expect(try await service.get("?appAccountToken=\(one)\(at)").body["active"] == ["com.example.monthly"])
            #expect(try await service.get("?appAccountToken=\(other)\(at)").body["active"] == [])
        }
    }

    @Test func `the account in renewal info gets the purchase only when the renewal begins`()
        async throws
    {
        try await withService("upcoming") { (service, _, installation) async throws in
            let topic = installation.notifications(.production)
            let month = period("10001", from: now - 5 * day, to: now + 25 * day, token: one)
            let named = renewal().with("appAccountToken", .string(other))
            try await installation.write([
                Draft(
                    "SUBSCRIBED", "INITIAL_BUY", signed: now - 5 * day, transaction: month, renewalInfo: renewal()
                ).produced(in: topic),
                Draft(
                    "DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", signed: now - 3_600_000, transaction: month,
                    renewalInfo: named
                ).produced(in: topic),
            ])
            try await service.finish(2)
            #expect(try await active(service, one) == ["com.example.monthly"])
            #expect(try await active(service, other) == [])
            // The renewal is reported before it begins.
            let year = period(
                "10002", from: now + 25 * day, to: now + 390 * day, token: other, product: "com.example.yearly")
            try await installation.write([
                Draft("DID_RENEW", signed: now, transaction: year, renewalInfo: named).produced(in: topic)
            ])
            try await service.finish(3)
            for (moment, isOther) in [
                (now, false), (now + 24 * day, false), (now + 25 * day, true), (now - day, false),
            ] {
                let first = try await service.get("?appAccountToken=\(one)&at=\(moment)").body["active"]
                let second = try await service.get("?appAccountToken=\(other)&at=\(moment)").body["active"]
                #expect(first == (isOther ? [] : ["com.example.monthly"]))
                #expect(second == (isOther ? ["com.example.yearly"] : []))
            }
            let published = try #require(try await installation.read(installation.state(.production)).last?.value)
            #expect(try JSONValue(json: published).object?["appAccountToken"]?.string == one)
        }
    }
}
