import Foundation
import HTTPClient
import TestSupport
import Testing

/// The admin listener of a process.
struct AdminAddress: Sendable {
    let port: UInt16
    private let url: String

    /// Waits for its line `ready`.
    ///
    /// - Parameter log: what the process has logged so far, when that is not in its standard error.
    init(_ process: ChildProcess, log: (() -> String)? = nil) async throws {
        port = try #require(try await process.ready(listener: "admin", log: log).port)
        url = "http://127.0.0.1:\(port)"
    }

    func isReady(_ client: HTTPClient) async -> Bool {
        (try? await client.send(HTTPClientRequest(url: "\(url)/readyz")))?.status == 200
    }

    /// The time series of `/metrics` that begin like this.
    func metrics(_ start: String, _ client: HTTPClient) async throws -> [(series: String, value: Double)] {
        let answer = try await client.send(HTTPClientRequest(url: "\(url)/metrics"))
        return String(decoding: answer.body, as: UTF8.self).split(separator: "\n").compactMap { line in
            guard line.hasPrefix(start), let space = line.lastIndex(of: " ") else { return nil }
            return Double(line[space...].dropFirst()).map { (String(line[..<space]), $0) }
        }
    }
}

/// A running `sluice-ingress`.
struct Ingress: Sendable {
    let process: ChildProcess
    /// Where notifications are posted.
    let url: String
    let port: UInt16
    private let admin: AdminAddress
    var adminPort: UInt16 { admin.port }

    /// Sends one body and waits for the answer.
    func post(_ body: [UInt8], with client: HTTPClient) async throws -> HTTPClientResponse {
        try await client.send(
            HTTPClientRequest(
                method: "POST", url: url, headers: [(name: "Content-Type", value: "application/json")], body: body,
                timeout: .seconds(20)))
    }

    /// Whether `/readyz` answers 200.
    func isReady(_ client: HTTPClient) async -> Bool { await admin.isReady(client) }

    /// The value of a time series of `/metrics`; `nil` without one.
    func metric(_ series: String, _ client: HTTPClient) async throws -> Double? {
        try await admin.metrics(series, client).first { $0.series == series }?.value
    }

    /// - Parameter log: what the process has logged so far.
    fileprivate init(_ process: ChildProcess, log: @escaping () -> String) async throws {
        self.process = process
        port = try #require(try await process.ready(listener: "notifications", log: log).port)
        url = "http://127.0.0.1:\(port)/notifications"
        admin = try await AdminAddress(process, log: log)
    }
}

/// A running `sluice-entitlements`.
struct Entitlements: Sendable {
    let process: ChildProcess
    let url: String
    private let admin: AdminAddress

    fileprivate init(_ process: ChildProcess) async throws {
        self.process = process
        let port = try #require(try await process.ready(listener: "entitlements").port)
        url = "http://127.0.0.1:\(port)"
        admin = try await AdminAddress(process)
    }

    /// Whether `/readyz` answers 200.
    func isReady(_ client: HTTPClient) async -> Bool { await admin.isReady(client) }

    /// The sum of the time series of `/metrics` that begin like this.
    func metric(_ start: String, _ client: HTTPClient) async throws -> Double {
        try await admin.metrics(start, client).reduce(0) { $0 + $1.value }
    }

    /// The answer of the read API; `nil` when it knows nothing of the subscription, or has not read its state yet.
    func answer(
        originalTransactionId: String, environment: String, at moment: String? = nil, with client: HTTPClient
    ) async throws -> JSON.Object? {
        var target = "\(url)/v1/entitlements?originalTransactionId=\(originalTransactionId)&environment=\(environment)"
        if let moment { target += "&at=\(moment)" }
        let response = try await client.send(HTTPClientRequest(url: target))
        guard response.status != 503 else { return nil }
        let body = String(decoding: response.body, as: UTF8.self)
        try #require(response.status == 200, "\(response.status) \(body); \(process)")
        let answer = try #require(JSON.object(response.body), "\(body)")
        return answer.flag("known") == false ? nil : answer
    }
}

/// The app whose notifications are sent, and the root that signed them.
struct SentApp: Sendable {
    let setting: String
    /// `nil`: Apple's, which is built in.
    var rootCertificate: String?

    /// The app of the captured Apple samples.
    static let appleSamples = SentApp(setting: "com.loki-project.loki-messenger:1470168868")
    /// What the simulator sends unless told otherwise.
    static let simulated = "com.example.app:1234567890"
}

extension Harness {
    /// An ingress that is ready.
    ///
    /// - Parameters:
    ///   - port: 0 takes a free one; so does `adminPort`.
    ///   - wrapper: a command that is given the ingress's command line and becomes it.
    ///   - log: what the process has logged so far, when it does not log where it would.
    ///   - untilReady: whether to wait until `/readyz` says so.
    func ingress(
        on broker: Broker, for app: SentApp, port: UInt16 = 0, adminPort: UInt16 = 0, settings: [String] = [],
        environment: [String: String] = [:], under wrapper: [String] = [], untilReady: Bool = true,
        log: (() -> String)? = nil
    ) async throws -> Ingress {
        var environment = environment
        environment["SLUICE_APPS"] = app.setting
        environment["SLUICE_REVOCATION"] = "off"
        if let root = app.rootCertificate { environment["SLUICE_ROOT_CERTIFICATES"] = root }
        let process = try start(
            Executable(
                "sluice-ingress",
                arguments: broker.arguments
                    + ["--http.host", "127.0.0.1", "--http.port", "\(port)", "--admin.port", "\(adminPort)"] + settings,
                environment: environment), under: wrapper)
        let ingress = try await Ingress(process, log: log ?? { process.errors })
        if untilReady {
            let client = HTTPClient()
            defer { client.close() }
            let isReady = await eventually(within: .seconds(20)) { await ingress.isReady(client) }
            try #require(isReady, "the ingress is not ready; \(process)")
        }
        return ingress
    }

    /// A `sluice-entitlements` that serves.
    ///
    /// - Parameters:
    ///   - data: the name of its directory; one that a former process left has its database.
    ///   - wrapper: a command that is given the command line and becomes it.
    func entitlements(
        on broker: Broker, data: String = "entitlements", settings: [String] = [], under wrapper: [String] = []
    ) async throws -> Entitlements {
        let process = try start(
            Executable(
                "sluice-entitlements",
                arguments: broker.arguments
                    + ["--data.dir", path(data), "--http.port", "0", "--admin.port", "0"] + settings), under: wrapper)
        return try await Entitlements(process)
    }

    /// Makes test certificates with the simulator, in a directory of this name.
    func simulatedApp(pki: String = "pki") async throws -> SentApp {
        let made = try await run(Executable("sluice-simulator", arguments: ["pki", "--out", path(pki)]))
        try #require(made.end == .exit(0), "\(made)")
        return SentApp(setting: SentApp.simulated, rootCertificate: path("\(pki)/root.pem"))
    }
}
