import AppStoreModel
import Cryptography
import JSON
import Lifecycle
import Primitives
import Records
import Telemetry
import TestSupport
import Testing

@testable import Entitlements

/// `POST /v1/transactions` of the whole service with an embedded broker.
@Suite(.timeLimit(.minutes(5))) struct UploadTests {
    private typealias Store = SigningAppStore

    private func bought(
        _ purchase: String = "1000", environment: AppStoreEnvironment = .production, token: String? = account
    ) -> Draft {
        SigningAppStore.bought(purchase, environment: environment, token: token)
    }

    @Test func `an uploaded purchase takes effect immediately, here, in the topic and on other members`()
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
        // The state is read from the row that was read back.
        #expect(try await service.get("?appAccountToken=\(account)").body["active"] == ["com.example.monthly"])
        #expect(try await service.get("?transactionId=10001").body["known"] == true)
        let published = try await installation.read(installation.state(.production))
        #expect(published.count == 1)
        // A repeated upload and the notification do not change the state, and nothing is published again.
        #expect(try await service.post("/v1/transactions", store.upload(draft)).status == 200)
        #expect(try await installation.read(installation.state(.production)).count == 1)
        try await installation.write([draft.produced(in: installation.notifications(.production))])
        try await service.finish(1)
        let history = try await service.get("?originalTransactionId=1000", path: "/v1/history").body
        #expect(history["purchases"]?.array?.first?.object?["events"]?.array?.count == 1)
        let sandbox = try await service.post(
            "/v1/transactions",
            store.upload(bought("2000", environment: .sandbox, token: nil)).with("environment", "Sandbox"))
        #expect(sandbox.body["environment"] == "Sandbox")
        #expect(try await installation.read(installation.state(.sandbox)).count == 1)
        #expect(await service.stop() == .ok)
        await installation.stop()
    }

    @Test func `startup loads the certificates of the certificates topic`() async throws {
        let installation = try await Installation("certificates")
        let store = try Store()
        let jws = try #require(try store.upload(bought())["signedTransactionInfo"]?.string)
        let header = Array(jws.prefix { $0 != "." }.utf8)
        try await installation.write([
            CertificateHeader(
                reference: HeaderReference(rawValue: SHA256.digest(of: header).hex), segment: header
            ).produced(to: installation.topics.certificates)
        ])
        let directory = try TemporaryDirectory()
        let service = try await RunningEntitlements(
            installation.configuration(data: directory.path, store.settings))
        // Known certificate chains are verified regardless of the limit for new ones.
        #expect(service.log.lines.contains { $0.contains("\"certificates loaded\"") && $0.contains("\"known\":1") })
        #expect(try await service.post("/v1/transactions", store.upload(bought())).status == 200)
        #expect(await service.stop() == .ok)
        await installation.stop()
    }

    /// A purchase without an account is claimed without a transfer, as with `POST /v1/claims`.
    @Test func `an upload with an account assigns the purchase to it, unless it belongs to another`() async throws {
        let installation = try await Installation("named")
        let store = try Store()
        let directory = try TemporaryDirectory()
        let service = try await RunningEntitlements(
            installation.configuration(data: directory.path, store.settings))
        func upload(_ draft: Draft, by account: String) async throws -> (status: Int, body: JSONObject) {
            try await service.post(
                "/v1/transactions", store.upload(draft).with("appAccountToken", .string(account)))
        }
        let other = "11111111-2222-4333-8444-555555555555"
        #expect(try await upload(bought(token: nil), by: account).body["active"] == ["com.example.monthly"])
        #expect(try await service.get("?appAccountToken=\(account)").body["active"] == ["com.example.monthly"])
        #expect(try await installation.read(installation.state(.production)).count == 1)
        // Repeating the upload as the same account or another one changes nothing.
        #expect(try await upload(bought(token: nil), by: account).status == 200)
        #expect(try await upload(bought(token: nil), by: other).status == 409)
        #expect(try await service.get("?appAccountToken=\(other)").body["known"] == false)
        // Apple names an account, so the transaction is accepted and the purchase stays with that account.
        let named = try await upload(bought("2000", token: other), by: account)
        #expect(named.status == 409)
        #expect(try await service.states("?appAccountToken=\(other)") == ["ACTIVE 20001"])
        #expect(try await upload(bought("3000"), by: "somebody").status == 400)
        #expect(await service.stop() == .ok)
        await installation.stop()
    }

    @Test func `an upload may name an account only if changes are allowed`() async throws {
        let installation = try await Installation("unnamed")
        let store = try Store()
        let directory = try TemporaryDirectory()
        let service = try await RunningEntitlements(
            installation.configuration(
                data: directory.path, store.settings, changes: false))
        let body = try store.upload(bought(token: nil)).with("appAccountToken", .string(account))
        #expect(try await service.post("/v1/transactions", body).status == 403)
        #expect(try await service.get("?originalTransactionId=1000").body["known"] == false)
        #expect(await service.stop() == .ok)
        await installation.stop()
    }

    @Test func `a transaction not signed by Apple for a configured app is rejected and not stored`() async throws {
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

    @Test func `uploads are rejected if no apps are configured`() async throws {
        let installation = try await Installation("noapps")
        let directory = try TemporaryDirectory()
        let service = try await RunningEntitlements(installation.configuration(data: directory.path))
        let answer = try await service.post("/v1/transactions", ["signedTransactionInfo": "a"])
        #expect(answer.status == 403 && answer.body["error"] == "uploads_are_off")
        #expect(await service.stop() == .ok)
        await installation.stop()
    }

    @Test(arguments: ["Production", "Production,Sandbox"])
    func `a transaction of an environment that is not requested or not configured is rejected`(
        _ environments: String
    ) async throws {
        let installation = try await Installation("environments")
        let store = try Store()
        let directory = try TemporaryDirectory()
        let service = try await RunningEntitlements(
            installation.configuration(
                data: directory.path, store.settings + ["--apps.com.example.environments", environments]))
        let (upload, hasSandbox) = (
            try store.upload(bought("2000", environment: .sandbox)), environments.contains("Sandbox")
        )
        // A backend that reads only `active` must not be deceived by TestFlight users.
        for asked in [nil, "Production"] as [JSONValue?] {
            let answer = try await service.post("/v1/transactions", upload.with("environment", asked))
            #expect(answer.status == 422 && answer.body["error"] == "other_environment", "\(answer)")
        }
        #expect(try await installation.read(installation.state(.sandbox)).isEmpty)
        for asked in ["Sandbox", "all"] as [JSONValue] {
            let answer = try await service.post("/v1/transactions", upload.with("environment", asked))
            #expect(answer.status == (hasSandbox ? 200 : 422), "\(answer)")
            #expect(answer.body["active"] == (hasSandbox ? ["com.example.monthly"] : nil))
        }
        #expect(try await installation.read(installation.state(.sandbox)).count == (hasSandbox ? 1 : 0))
        let production = try store.upload(bought())
        let other = try await service.post("/v1/transactions", production.with("environment", "Sandbox"))
        #expect(other.status == 422 && other.body["error"] == "other_environment")
        #expect(try await service.post("/v1/transactions", production.with("environment", "all")).status == 200)
        #expect(try await service.post("/v1/transactions", production.with("environment", "Xcode")).status == 400)
        #expect(await service.stop() == .ok)
        await installation.stop()
    }
}
