import AppStoreModel
import JSON
import Lifecycle
import Primitives
import Records
import Simulator
import TestSupport
import Testing

@testable import Entitlements

/// An old upload alone proves nothing. With an API key, Apple is queried; without a key, the purchase must be known.
@Suite(.timeLimit(.minutes(5))) struct UploadAgeTests {
    private let now = Clocks.system.wallMilliseconds()

    /// Starts a service with or without an API key, and its signer.
    private func withService(
        _ name: String, hasKey: Bool, _ further: [String] = [],
        _ body: (RunningEntitlements, SigningAppStore, SimulatedAppStore, Installation) async throws -> Void
    ) async throws {
        let installation = try await Installation(name)
        let signer = try SigningAppStore()
        let store = try SimulatedAppStore(signer)
        let directory = try TemporaryDirectory()
        let service = try await RunningEntitlements(
            installation.configuration(
                data: directory.path, (hasKey ? store.settings : signer.settings) + further))
        try await body(service, signer, store, installation)
        #expect(await service.stop() == .ok)
        await store.stop()
        await installation.stop()
    }

    @Test(arguments: [false, true])
    func `an old transaction of an unknown purchase is rejected without an API key`(_ isExpired: Bool) async throws {
        try await withService("toolate", hasKey: false) { (service, signer, _, installation) async throws in
            let old = SigningAppStore.bought(signed: now - 2 * 3_600_000)
            let answer = try await service.post("/v1/transactions", signer.upload(old, isExpired: isExpired))
            #expect(answer.status == 422)
            #expect(answer.body["error"] == (isExpired ? "certificate_expired" : "too_old"))
            #expect(answer.body["message"]?.string?.contains("appstore.api.key.file") == true)
            #expect(try await installation.read(installation.state(.production)).isEmpty)
            #expect(try await service.get("?originalTransactionId=1000").body["known"] == false)
            // A recent upload makes the purchase known, and the old one is then accepted like any other.
            #expect(try await service.post("/v1/transactions", signer.upload(SigningAppStore.bought())).status == 200)
            #expect(try await service.post("/v1/transactions", signer.upload(old)).status == 200)
        }
    }

    @Test func `a claim does not make a purchase known`() async throws {
        try await withService("claimedonly", hasKey: false) { (service, signer, _, _) async throws in
            let claim: JSONObject = [
                "bundleId": "com.example", "originalTransactionId": "1000", "appAccountToken": .string(account),
            ]
            #expect(try await service.post("/v1/claims", claim).status == 200)
            let old = SigningAppStore.bought(token: nil, signed: now - 2 * 3_600_000)
            #expect(try await service.post("/v1/transactions", signer.upload(old)).body["error"] == "too_old")
        }
    }

    @Test func `the age is configurable`() async throws {
        try await withService("age", hasKey: false, ["--entitlements.upload.age", "3h"]) {
            (service, signer, _, _) async throws in
            let old = SigningAppStore.bought(signed: now - 2 * 3_600_000)
            #expect(try await service.post("/v1/transactions", signer.upload(old)).status == 200)
            let older = SigningAppStore.bought("2000", signed: now - 4 * 3_600_000)
            #expect(try await service.post("/v1/transactions", signer.upload(older)).status == 422)
        }
    }

    @Test(arguments: [false, true])
    func `with an API key Apple is queried, and its current answer applies`(_ isExpired: Bool) async throws {
        try await withService("asked", hasKey: true) { (service, signer, store, installation) async throws in
            let old = SigningAppStore.bought(signed: now - 20 * day)
            store.register(old)
            let answer = try await service.post("/v1/transactions", signer.upload(old, isExpired: isExpired))
            #expect(answer.status == 200 && answer.body["active"] == ["com.example.monthly"], "\(answer)")
            #expect(store.api.requests(of: .getTransactionInfo) == 1)
            // The transaction has been refunded since, which only Apple knows.
            var refunded = SigningAppStore.bought("2000", signed: now - 20 * day)
            let kept = refunded
            refunded.transaction?["revocationDate"] = .integer(now - 10 * day)
            refunded.transaction?["signedDate"] = .integer(now - 10 * day)
            store.register(refunded, status: 5)
            let revoked = try await service.post("/v1/transactions", signer.upload(kept, isExpired: isExpired))
            #expect(revoked.status == 200 && revoked.body["active"] == [], "\(revoked)")
            // Apple does not know this purchase.
            let unknown = SigningAppStore.bought("3000", signed: now - 20 * day)
            let refused = try await service.post("/v1/transactions", signer.upload(unknown, isExpired: isExpired))
            #expect(refused.status == 422 && refused.body["error"] == "not_confirmed", "\(refused)")
            #expect(try await service.get("?originalTransactionId=3000").body["known"] == false)
            // Without a response from Apple nothing is decided.
            store.api.faults = .always(.internalError)
            let waiting = try await service.post("/v1/transactions", signer.upload(unknown, isExpired: isExpired))
            #expect(waiting.status == 503, "\(waiting)")
            #expect(try await installation.read(installation.state(.production)).count == 2)
        }
    }
}
