import Foundation
import HTTPClient
import TestSupport
import Testing

/// A running `sluice-ingress`.
struct Ingress: Sendable {
    let process: ChildProcess
    /// Where notifications are posted.
    let url: String
    private let readiness: String

    /// Sends one body and waits for the answer.
    func post(_ body: [UInt8], with client: HTTPClient) async throws -> HTTPClientResponse {
        try await client.send(
            HTTPClientRequest(
                method: "POST", url: url, headers: [(name: "Content-Type", value: "application/json")], body: body,
                timeout: .seconds(20)))
    }

    /// Whether `/readyz` answers 200.
    func isReady(_ client: HTTPClient) async -> Bool {
        (try? await client.send(HTTPClientRequest(url: readiness)))?.status == 200
    }

    fileprivate init(_ process: ChildProcess) async throws {
        self.process = process
        let port = try #require(try await process.ready(listener: "notifications").port)
        let adminPort = try #require(try await process.ready(listener: "admin").port)
        url = "http://127.0.0.1:\(port)/notifications"
        readiness = "http://127.0.0.1:\(adminPort)/readyz"
    }
}

/// A running `sluice-entitlements`.
struct Entitlements: Sendable {
    let process: ChildProcess
    let url: String

    /// The answer of the read API; `nil` when it knows nothing of the subscription, or has not read its state yet.
    func answer(
        originalTransactionId: String, environment: String, at moment: String? = nil, with client: HTTPClient
    ) async throws -> JSON.Object? {
        var target = "\(url)/v1/entitlements?originalTransactionId=\(originalTransactionId)&environment=\(environment)"
        if let moment { target += "&at=\(moment)" }
        let response = try await client.send(HTTPClientRequest(url: target))
        guard response.status != 404, response.status != 503 else { return nil }
        let body = String(decoding: response.body, as: UTF8.self)
        try #require(response.status == 200, "\(response.status) \(body); \(process)")
        let answer = try #require(JSON.object(response.body), "\(body)")
        return answer
    }
}

/// The app whose notifications are sent, and the root that signed them.
struct SentApp: Sendable {
    let setting: String
    /// `nil`: Apple's, which is built in.
    var rootCertificate: String?

    /// The app of the genuine notifications.
    static let genuine = SentApp(setting: "com.loki-project.loki-messenger:1470168868")
    /// What the simulator sends unless told otherwise.
    static let simulated = "com.example.app:1234567890"
}

extension Stage {
    /// An ingress that is ready.
    func ingress(on broker: Broker, for app: SentApp) async throws -> Ingress {
        var environment = ["SLUICE_APPS": app.setting, "SLUICE_REVOCATION": "off"]
        if let root = app.rootCertificate { environment["SLUICE_ROOT_CERTIFICATES"] = root }
        let process = try start(
            Executable(
                "sluice-ingress",
                arguments: broker.arguments + ["--http.host", "127.0.0.1", "--http.port", "0", "--admin.port", "0"],
                environment: environment))
        let ingress = try await Ingress(process)
        let client = HTTPClient()
        defer { client.close() }
        let isReady = await eventually(within: .seconds(20)) { await ingress.isReady(client) }
        try #require(isReady, "the ingress is not ready; \(process)")
        return ingress
    }

    /// A `sluice-entitlements` with a database of its own.
    func entitlements(on broker: Broker) async throws -> Entitlements {
        let process = try start(
            Executable(
                "sluice-entitlements",
                arguments: broker.arguments
                    + ["--data.dir", path("entitlements"), "--http.port", "0", "--admin.port", "0"]))
        let port = try #require(try await process.ready(listener: "entitlements").port)
        return Entitlements(process: process, url: "http://127.0.0.1:\(port)")
    }

    /// Makes throw-away certificates with the simulator.
    func simulatedApp() async throws -> SentApp {
        let made = try await run(Executable("sluice-simulator", arguments: ["pki", "--out", path("pki")]))
        try #require(made.end == .exit(0), "\(made)")
        return SentApp(setting: SentApp.simulated, rootCertificate: path("pki/root.pem"))
    }
}
