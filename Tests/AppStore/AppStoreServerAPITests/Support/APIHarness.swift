import AppStoreModel
import AppStoreServerAPI
import AppStoreTestSupport
import AppStoreVerification
import Cryptography
import HTTPClient
import HTTPServer
import Synchronization
import TestSupport

/// A client, its key file, and the events that it reported.
final class APIHarness: Sendable {
    static let app = BundleId(SigningKit.bundleId)
    static let production = APIScope(app, in: .production)
    static let sandbox = APIScope(app, in: .sandbox)

    let client: AppStoreServerClient
    let time: VirtualTime
    let directory: TemporaryDirectory
    let keyFile: String
    private let events: Events
    /// The fake App Stores, retained by the harness.
    private let stores: [FakeAppStore]

    final class Events: Sendable {
        private let list = Mutex<[APIEvent]>([])
        var all: [APIEvent] { list.withLock { $0 } }
        func add(_ event: APIEvent) { list.withLock { $0.append(event) } }
    }

    /// - Parameters:
    ///   - key: the `.p8` file; nil creates a new key.
    ///   - longestWait: the maximum wait for a turn, in virtual time.
    convenience init(
        _ store: FakeAppStore, sandbox: FakeAppStore? = nil, key: [UInt8]? = nil, bundleId: BundleId = app,
        issuerId: String = "57246542-96fe-1a63-e053-0824d011072a", keyId: String = "2X9R4HXF34",
        timeout: Duration = .seconds(20), longestWait: Duration = .seconds(30), time: VirtualTime = VirtualTime()
    ) throws {
        try self.init(
            url: store.url, sandboxURL: sandbox?.url, keeping: [store, sandbox].compactMap { $0 }, key: key,
            bundleId: bundleId, issuerId: issuerId, keyId: keyId,
            timeout: timeout, longestWait: longestWait, time: time)
    }

    init(
        url: String, sandboxURL: String? = nil, keeping stores: [FakeAppStore] = [], key: [UInt8]? = nil,
        bundleId: BundleId = app,
        issuerId: String = "57246542-96fe-1a63-e053-0824d011072a", keyId: String = "2X9R4HXF34",
        timeout: Duration = .seconds(20), longestWait: Duration = .seconds(30), time: VirtualTime = VirtualTime()
    ) throws {
        try initializeCryptography()
        directory = try TemporaryDirectory()
        keyFile = try directory.write(try key ?? Self.newKey(), to: "key.p8")
        let credentials = APICredentials(issuerId: issuerId, keyId: keyId, keyFile: keyFile)
        let limits = RequestBudgets.Limits(longestWait: longestWait)
        let events = Events()
        self.time = time
        self.events = events
        self.stores = stores
        client = AppStoreServerClient(
            AppStoreServerClient.Configuration(
                credentials: [bundleId: credentials], productionURL: url, sandboxURL: sandboxURL ?? url,
                timeout: timeout),
            http: HTTPClient(),
            verifier: try SigningKit.shared().verifier {
                $0.apps = [
                    AppIdentity(bundleId: bundleId, appAppleId: AppAppleId(SigningKit.appAppleId)),
                    AppIdentity(bundleId: BundleId("com.example.other"), appAppleId: AppAppleId(2)),
                ]
            },
            clocks: time.clocks,
            budgets: RequestBudgets(limits, clocks: time.clocks, sleep: time.sleep),
            report: { events.add($0) })
    }

    var reported: [APIEvent] { events.all }

    static func newKey() throws -> [UInt8] {
        try initializeCryptography()
        return try PrivateKey.generate(.p256).pem()
    }

    /// Returns the failure of a request that must fail.
    func failure(
        of request: APIRequest = APIRequest(.getTransactionInfo, "1234"), to scope: APIScope = production
    ) async throws -> APIError {
        do throws(APIError) {
            _ = try await client.send(request, to: scope)
        } catch {
            return error
        }
        throw Unexpected("the request did not fail")
    }
}
