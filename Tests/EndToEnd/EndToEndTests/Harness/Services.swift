import Foundation
import HTTPClient
import TestSupport
import Testing

/// The admin listener of a process.
struct AdminAddress: Sendable {
    let port: UInt16
    private let url: String

    /// Waits for the process's log line `ready`.
    ///
    /// - Parameter log: returns the log so far, if it is not on standard error.
    init(_ process: ChildProcess, log: (() -> String)? = nil) async throws {
        port = try #require(try await process.ready(listener: "admin", log: log).port)
        url = "http://127.0.0.1:\(port)"
    }

    func isReady(_ client: HTTPClient) async -> Bool {
        (try? await client.send(HTTPClientRequest(url: "\(url)/readyz")))?.status == 200
    }

    /// Returns the time series of `/metrics` with this prefix.
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
    /// The URL that notifications are posted to.
    let url: String
    let port: UInt16
    private let admin: AdminAddress
    var adminPort: UInt16 { admin.port }

    /// Sends one body and waits for the response.
    func post(_ body: [UInt8], with client: HTTPClient) async throws -> HTTPClientResponse {
        try await client.send(
            HTTPClientRequest(
                method: "POST", url: url, headers: [(name: "Content-Type", value: "application/json")], body: body,
                timeout: .seconds(20)))
    }

    /// Whether `/readyz` returns 200.
    func isReady(_ client: HTTPClient) async -> Bool { await admin.isReady(client) }

    /// Returns the value of a time series of `/metrics`; `nil` if there is none.
    func metric(_ series: String, _ client: HTTPClient) async throws -> Double? {
        try await admin.metrics(series, client).first { $0.series == series }?.value
    }

    /// - Parameter log: returns the process's log so far.
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

    /// Whether `/readyz` returns 200.
    func isReady(_ client: HTTPClient) async -> Bool { await admin.isReady(client) }

    /// Returns the sum of the time series of `/metrics` with this prefix.
    func metric(_ start: String, _ client: HTTPClient) async throws -> Double {
        try await admin.metrics(start, client).reduce(0) { $0 + $1.value }
    }

    /// Returns the read API's response; `nil` if the subscription is unknown or the state has not been read yet.
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

/// The app that the notifications are for, and the root that signed them.
struct SentApp: Sendable {
    let setting: String
    /// `nil` selects Apple's built-in root.
    var rootCertificate: String?

    /// The app of the captured Apple samples.
    static let appleSamples = SentApp(setting: "com.loki-project.loki-messenger:1470168868")
    /// The simulator's default app.
    static let simulated = "com.example.app:1234567890"
}

extension Harness {
    /// Starts an ingress and waits until it is ready.
    ///
    /// - Parameters:
    ///   - port: 0 selects a free port, as for `adminPort`.
    ///   - wrapper: a command that receives the ingress's command line and executes it.
    ///   - log: returns the log so far, if it is not on standard error.
    ///   - untilReady: whether to wait until `/readyz` returns 200.
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

    /// Starts a `sluice-entitlements` and waits until it serves requests.
    ///
    /// - Parameters:
    ///   - data: the name of its directory. The directory of an earlier process contains that process's database.
    ///   - wrapper: a command that receives the command line and executes it.
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

    /// Creates test certificates with the simulator, in a directory of this name.
    func simulatedApp(pki: String = "pki") async throws -> SentApp {
        let made = try await run(Executable("sluice-simulator", arguments: ["pki", "--out", path(pki)]))
        try #require(made.end == .exit(0), "\(made)")
        return SentApp(setting: SentApp.simulated, rootCertificate: path("\(pki)/root.pem"))
    }
}
