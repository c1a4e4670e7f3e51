internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import FoundationEssentials
internal import JSON
internal import Lifecycle

/// The `sluicectl entitlements …` commands that query the read API of sluice-entitlements.
struct EntitlementsCommand {
    let configuration: Configuration
    private let client: EntitlementsClient

    init(configuration: Configuration) {
        self.configuration = configuration
        client = EntitlementsClient(configuration: configuration)
    }

    /// Prints the entitlements of an account or a purchase.
    func show(_ id: String, _ console: Console) async throws -> ExitCode {
        var parameters = subject(id)
        if let at = configuration[OperationsSettings.entitledAt] { parameters.append(("at", at.description)) }
        let body = try await client.get("/v1/entitlements", parameters)
        return try await print(body, console) { EntitlementsText.text($0) }
    }

    /// Prints each purchase's transitions, with the notifications that caused them.
    func history(_ id: String, _ console: Console) async throws -> ExitCode {
        let body = try await client.get("/v1/history", subject(id))
        return try await print(body, console) { HistoryText.text($0) }
    }

    /// Prints a page of purchases.
    func list(_ console: Console) async throws -> ExitCode {
        var parameters = [
            ("environment", client.environment), ("limit", String(configuration[OperationsSettings.listLimit])),
        ]
        if configuration[OperationsSettings.unclaimed] { parameters.append(("unclaimed", "true")) }
        if let after = configuration[OperationsSettings.listAfter] { parameters.append(("after", after)) }
        let body = try await client.get("/v1/purchases", parameters)
        return try await print(body, console) { PurchasesText.text($0) }
    }

    /// Assigns a purchase to an account.
    func claim(_ id: String, _ token: String, _ console: Console) async throws -> ExitCode {
        let purchase = try await purchases(of: [("originalTransactionId", id)])
        guard let one = purchase.first, purchase.count == 1 else {
            throw StartupError("purchases in several apps have this id", fix: "Specify the app with --app")
        }
        var request = one.request(client.environment)
        request["appAccountToken"] = .string(token)
        if configuration[OperationsSettings.claimTransfer] { request["transfer"] = true }
        if let file = configuration[OperationsSettings.claimProof] {
            let bytes = try await InputFile.read(file, maximumBytes: Self.maximumProof)
            request["signedTransactionInfo"] = .string(
                String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace })
        }
        let body = try await client.post("/v1/claims", request)
        return try await print(body, console) { "claimed\n\n" + PurchasesText.identity($0) }
    }

    /// Erases everything that the service stores about an account or a purchase.
    func erase(_ id: String, _ console: Console) async throws -> ExitCode {
        let purchases = try await purchases(of: subject(id))
        guard configuration[OperationsSettings.yes] else {
            await console.write(
                configuration,
                text: "would erase\n\n" + purchases.map { "\($0.bundleId)/\($0.originalTransactionId)\n" }.joined(),
                json: [
                    OutputName.ok: false, OutputName.purchases: .array(purchases.map { .object($0.json) }),
                ])
            throw StartupError("nothing was erased", fix: "Run the command again with --yes; this cannot be undone")
        }
        for purchase in purchases {
            let body = try await client.post("/v1/erasures", purchase.request(client.environment))
            _ = try await print(body, console) { "erased\n\n" + PurchasesText.identity($0) }
        }
        return .ok
    }

    // MARK: Private details

    /// Maximum size of a signed transaction in bytes. Apple's transactions are 4 to 8 kilobytes.
    private static let maximumProof = 64 * 1024

    /// Returns the query parameters that identify a subject. A UUID is an appAccountToken; any other id is an
    /// originalTransactionId, unless a flag selects another kind.
    private func subject(_ id: String) -> [(String, String)] {
        let name =
            UUID(uuidString: id) != nil
            ? "appAccountToken"
            : configuration[OperationsSettings.isAppTransaction]
                ? "appTransactionId"
                : configuration[OperationsSettings.isTransaction] ? "transactionId" : "originalTransactionId"
        return [(name, id), ("environment", client.environment)]
    }

    private struct Purchase {
        let bundleId: String
        let originalTransactionId: String

        func request(_ environment: String) -> JSONObject {
            [
                "environment": .string(environment), "bundleId": .string(bundleId),
                "originalTransactionId": .string(originalTransactionId),
            ]
        }

        var json: JSONObject {
            [
                OutputName.bundleId: .string(bundleId),
                OutputName.originalTransactionId: .string(originalTransactionId),
            ]
        }
    }

    private func purchases(of subject: [(String, String)]) async throws(StartupError) -> [Purchase] {
        var parameters = subject
        if !parameters.contains(where: { $0.0 == "environment" }) {
            parameters.append(("environment", client.environment))
        }
        if let bundle = configuration[OperationsSettings.app] { parameters.append(("bundleId", bundle)) }
        let answer = try client.known(try await client.get("/v1/entitlements", parameters))
        return (answer["purchases"]?.array ?? []).compactMap(\.object).compactMap { purchase in
            guard let bundleId = purchase["bundleId"]?.string, let id = purchase["originalTransactionId"]?.string else {
                return nil
            }
            return Purchase(bundleId: bundleId, originalTransactionId: id)
        }
    }

    private func print(
        _ body: [UInt8], _ console: Console, _ text: (JSONObject) -> String
    ) async throws -> ExitCode {
        let answer = try client.known(body)
        await console.write(configuration, text: text(answer), json: body)
        return .ok
    }
}
