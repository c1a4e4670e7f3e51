import AppStoreModel
import AppStoreSigning
import Cryptography
import Foundation
import JSON
import Lifecycle
import Records
import TestSupport
import Testing
import Time

@testable import Entitlements

/// `POST /v1/transactions` of the whole service over an embedded broker.
@Suite(.timeLimit(.minutes(5))) struct UploadTests {
    /// An App Store of the test's own, and the settings under which it is believed.
    private struct Store {
        let pki: TestCertificateAuthority
        let directory: TemporaryDirectory

        init() throws {
            try initializeCryptography()
            pki = try TestCertificateAuthority(.init(now: Clocks.system.wallMilliseconds() / 1000))
            directory = try TemporaryDirectory()
            try pki.save(to: directory.file("pki"))
        }

        var settings: [String] {
            [
                "--apps", "com.example:1", "--root.certificates", directory.file("pki/root.pem"), "--revocation", "off",
            ]
        }

        func sign(_ object: JSONObject?) throws -> JSONValue {
            let payload = JSONValue.object(object ?? JSONObject()).json
            return .string(String(decoding: try JWSSigner(pki).sign(payload), as: UTF8.self))
        }

        func upload(_ draft: Draft) throws -> JSONObject {
            ["signedTransactionInfo": try sign(draft.transaction), "signedRenewalInfo": try sign(draft.renewalInfo)]
        }
    }

    /// Bought this very minute: the first notification has not come.
    private func bought(
        _ purchase: String = "1000", environment: AppStoreEnvironment = .production, token: String? = account
    ) -> Draft {
        let now = Clocks.system.wallMilliseconds()
        return Draft(
            "SUBSCRIBED", "INITIAL_BUY", signed: now, purchase: purchase, environment: environment,
            transaction: period("\(purchase)1", from: now - 60_000, to: now + 30 * day, token: token),
            renewalInfo: renewal())
    }

    @Test func `a purchase counts from the moment that the app hands it in, here, in the topic and elsewhere`()
        async throws
    {
        let installation = try await Installation("uploads")
        let store = try Store()
        let directory = try TemporaryDirectory()
        let service = try await RunningEntitlements(
            installation.configuration(data: directory.path, store.settings))
        let draft = bought()
        #expect(try await service.get("?appAccountToken=\(account)").body["known"] == false)
        let answer = try await service.post("/v1/transactions", store.upload(draft))
        #expect(answer.status == 200)
        #expect(answer.body["active"] == ["com.example.monthly"])
        #expect(answer.body["grants"]?.array?.first?.object?["autoRenewProductId"] == "com.example.monthly")
        // What was read back is read.
        #expect(try await service.get("?appAccountToken=\(account)").body["active"] == ["com.example.monthly"])
        #expect(try await service.get("?transactionId=10001").body["known"] == true)
        let published = try await installation.read(installation.state(.production))
        #expect(published.count == 1)
        // Once more, and the notification later: one state, and nothing that would be published again.
        #expect(try await service.post("/v1/transactions", store.upload(draft)).status == 200)
        #expect(try await installation.read(installation.state(.production)).count == 1)
        try await installation.write([draft.produced(in: installation.notifications(.production))])
        try await service.finish(1)
        let history = try await service.get("?originalTransactionId=1000", path: "/v1/history").body
        #expect(history["purchases"]?.array?.first?.object?["events"]?.array?.count == 1)
        let sandbox = try await service.post(
            "/v1/transactions", store.upload(bought("2000", environment: .sandbox, token: nil)))
        #expect(sandbox.body["environment"] == "Sandbox")
        #expect(try await installation.read(installation.state(.sandbox)).count == 1)
        #expect(await service.stop() == .ok)
        await installation.stop()
    }

    @Test func `what Apple did not sign for a configured app is refused, and nothing is stored`() async throws {
        let installation = try await Installation("forged")
        let (store, other) = (try Store(), try Store())
        let directory = try TemporaryDirectory()
        let service = try await RunningEntitlements(
            installation.configuration(data: directory.path, store.settings))
        var foreign = bought()
        foreign.transaction?["bundleId"] = "com.example.other"
        var unreadable = bought()
        unreadable.transaction?["expiresDate"] = "tomorrow"
        let refused: [(JSONObject, Int, String)] = [
            (try other.upload(bought()), 422, "not_verified"), (try store.upload(foreign), 422, "not_verified"),
            (["signedTransactionInfo": "a.b.c"], 422, "not_verified"),
            (try store.upload(unreadable), 422, "not_readable"), (JSONObject(), 400, "bad_request"),
            (["signedTransactionInfo": 1], 400, "bad_request"), (["signedTransactionInfo": ""], 400, "bad_request"),
            (["signedTransactionInfo": "a", "x": 1], 400, "bad_request"),
        ]
        for (body, status, error) in refused {
            let answer = try await service.post("/v1/transactions", body)
            #expect(answer.status == status && answer.body["error"]?.string == error, "\(answer)")
        }
        #expect(try await installation.read(installation.state(.production)).isEmpty)
        #expect(await service.stop() == .ok)
        await installation.stop()
    }

    @Test func `without apps no transaction is taken`() async throws {
        let installation = try await Installation("noapps")
        let directory = try TemporaryDirectory()
        let service = try await RunningEntitlements(installation.configuration(data: directory.path))
        let answer = try await service.post("/v1/transactions", ["signedTransactionInfo": "a"])
        #expect(answer.status == 403 && answer.body["error"] == "uploads_are_off")
        #expect(await service.stop() == .ok)
        await installation.stop()
    }

    @Test func `a claim may come before the first notification, of an app and an id that Apple could name`()
        async throws
    {
        let installation = try await Installation("early")
        let store = try Store()
        let directory = try TemporaryDirectory()
        let service = try await RunningEntitlements(
            installation.configuration(data: directory.path, store.settings))
        func claim(_ id: String, app: String = "com.example") async throws -> Int {
            try await service.post(
                "/v1/claims",
                ["bundleId": .string(app), "originalTransactionId": .string(id), "appAccountToken": .string(account)]
            ).status
        }
        #expect(try await claim("1000") == 200)
        let early = try await service.get("?appAccountToken=\(account)").body
        #expect(early["known"] == true && early["active"] == [])
        #expect(try await claim("1000", app: "com.example.other") == 404)
        #expect(try await claim("1000/2") == 404)
        // The purchase was made without a token: it is the account's as soon as it is known.
        try await installation.write([bought(token: nil).produced(in: installation.notifications(.production))])
        try await service.finish(1)
        #expect(try await service.get("?appAccountToken=\(account)").body["active"] == ["com.example.monthly"])
        #expect(await service.stop() == .ok)
        await installation.stop()
    }
}
