package import AppStoreModel
package import AppStoreSigning
internal import Dispatch
package import HTTPServer
package import JSON
package import Primitives
internal import Synchronization

/// The App Store Server API of the simulated App Store, served on this machine with one listener per environment.
///
/// It serves the transactions registered by scenarios or by hand, checks requests strictly according to Apple's
/// documentation, enforces limits, injects the configured faults, and stores the consumption answers that it receives.
/// The paths of ``SimulatorInspection``, outside `/inApps`, show these answers and other data.
package final class SimulatedServerAPI: Sendable {
    /// The API's configuration.
    package struct Settings: Sendable {
        /// The app. Each listener uses its own environment instead of the app's.
        package var app: SimulatedApp
        /// The credentials for verifying request tokens.
        package var credentials: ServerAPICredentials
        /// The environments, each with a listener.
        package var environments: [AppStoreEnvironment] = [.production, .sandbox]
        /// The port of each listener. If it is 0 or absent, a free port is chosen.
        package var ports: [AppStoreEnvironment: UInt16] = [:]
        package var host = "127.0.0.1"
        package var limits = ServerAPILimits.unlimited
        package var faults = ServerAPIFaults.none
        /// Whether consumption information is accepted for unregistered transactions.
        package var acceptsUnknownTransactions = false
        package var followUp = RefundFollowUp()
        /// The lifetime of a Get Notification History pagination token.
        package var paginationLifetime = Duration.hours(1)
        /// Posts the body of a notification and reports the outcome. If nil, nothing is posted.
        package var post: Post?
        /// Calls an action after a delay.
        package var after: After = { delay, action in
            DispatchQueue.global().asyncAfter(
                deadline: .now() + .nanoseconds(Int(delay.clampedNanoseconds)), execute: action)
        }

        package init(app: SimulatedApp, credentials: ServerAPICredentials) {
            self.app = app
            self.credentials = credentials
        }
    }

    package typealias Post =
        @Sendable (
            _ body: [UInt8], _ ended: @escaping @Sendable (PostOutcome) -> Void
        ) -> Void
    package typealias After = @Sendable (_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> Void

    let settings: Settings
    let clocks: Clocks
    let signer: JWSSigner
    let state: Mutex<ServerAPIState>
    private let server = Mutex<HTTPServer?>(nil)

    /// Creates a server without starting it.
    ///
    /// - Parameters:
    ///   - pki: the authority that signs responses and notifications.
    ///   - clock: the wall-clock time for dates and tokens, and the monotonic time for limits.
    package init(settings: Settings, pki: TestCertificateAuthority, clock: Clocks = .system) {
        self.settings = settings
        clocks = clock
        signer = JWSSigner(pki)
        var environments: [AppStoreEnvironment: ServerAPIEnvironment] = [:]
        for environment in settings.environments {
            let app = settings.app
            environments[environment] = ServerAPIEnvironment(
                app: SimulatedApp(bundleId: app.bundleId, appAppleId: app.appAppleId, environment: environment),
                signer: signer, acceptsUnknownTransactions: settings.acceptsUnknownTransactions,
                hasNotificationURL: settings.post != nil, paginationLifetime: settings.paginationLifetime)
        }
        state = Mutex(
            ServerAPIState(
                environments: environments, faults: settings.faults, cases: SimulatedRefunds(settings.followUp)))
    }

    /// Binds the listeners and starts serving requests.
    ///
    /// - Throws: the errors of ``HTTPServer/start()``.
    package func start() throws(HTTPServerError) {
        let server = HTTPServer(listeners: settings.environments.map { listener($0) })
        try server.start()
        self.server.withLock { $0 = server }
    }

    /// Stops serving. Connections that are waiting for a response are reset, and nothing more is posted.
    package func stop() async {
        let held = state.withLock { $0.stop() }
        for exchange in held { exchange.reset() }
        let server = server.withLock { $0.take() }
        await server?.drain(within: .milliseconds(200))
    }

    // MARK: Ports, URLs and statistics

    /// Returns the port of an environment's listener, or 0 before `start()`.
    package func port(of environment: AppStoreEnvironment) -> UInt16 {
        guard let index = settings.environments.firstIndex(of: environment) else { return 0 }
        return server.withLock { $0?.port(of: index) ?? 0 }
    }

    /// The port of the first listener, which serves production unless the settings specify otherwise.
    package var port: UInt16 { settings.environments.first.map { port(of: $0) } ?? 0 }

    /// Returns a client's base URL for the environment: `http://127.0.0.1:PORT`.
    package func url(of environment: AppStoreEnvironment = .production) -> String {
        "http://\(settings.host):\(port(of: environment))"
    }

    /// All PUT requests with consumption information and a valid token, in arrival order.
    package var answers: [ConsumptionAnswer] { state.withLock { $0.answers.all } }

    /// The refund cases, in the order in which they were opened.
    package var refunds: [SimulatedRefund] { state.withLock { $0.cases.all } }

    /// The injected faults, which may be changed at any time.
    package var faults: ServerAPIFaults {
        get { state.withLock { $0.faults } }
        set { state.withLock { $0.faults = newValue } }
    }

    /// Returns the number of requests with a valid token, including requests over the limit.
    package func requests(of operation: ServerAPIOperation, in environment: AppStoreEnvironment = .production) -> Int {
        rate(of: operation, in: environment).requests
    }

    /// Returns the number of requests that received 429 because of the limit.
    package func refusedRequests(
        of operation: ServerAPIOperation, in environment: AppStoreEnvironment = .production
    ) -> Int { rate(of: operation, in: environment).refused }

    /// Returns the maximum number of requests within any second, including requests over the limit.
    package func busiestSecond(
        of operation: ServerAPIOperation, in environment: AppStoreEnvironment = .production
    ) -> Int { rate(of: operation, in: environment).busiestSecond }

    private func rate(of operation: ServerAPIOperation, in environment: AppStoreEnvironment) -> RequestRate {
        state.withLock { $0.rates[ServerAPIState.RateKey(environment: environment, operation: operation)] }
            ?? RequestRate()
    }

    /// The number of requests refused because of an invalid token, by reason.
    package var tokenProblems: [String: Int] {
        state.withLock { state in
            Dictionary(uniqueKeysWithValues: state.tokenProblems.map { ($0.key.rawValue, $0.value) })
        }
    }

    // MARK: Registering transactions and notifications

    /// Registers a transaction with any content. The transaction is signed exactly as given until a refund or a request
    /// changes it.
    ///
    /// - Parameters:
    ///   - transaction: the payload of `signedTransactionInfo`; ignored if it has no `transactionId`.
    ///   - renewalInfo: the payload of `signedRenewalInfo`, for a subscription.
    ///   - status: the subscription's Apple `status`, or `nil` to derive it from the transaction and the renewal.
    package func register(
        transaction: JSONObject, renewalInfo: JSONObject? = nil, status: Int64? = nil,
        in environment: AppStoreEnvironment = .production
    ) {
        state.withLock { state in
            state.environments[environment]?.store.register(transaction: transaction, isVerbatim: true)
            guard let renewalInfo else { return }
            state.environments[environment]?.store.register(renewal: renewalInfo, status: status, isVerbatim: true)
        }
    }

    /// Registers the content of a notification and lists it among the sent notifications.
    ///
    /// - Parameter isListed: false for formats other than version 2, which the history does not contain.
    package func register(
        _ notification: UnsignedNotification, in environment: AppStoreEnvironment = .production, isListed: Bool = true
    ) {
        state.withLock { state in
            state.environments[environment]?.store.register(notification)
            guard isListed else { return }
            state.environments[environment]?.store.notifications.add(notification)
        }
    }

    /// Records the outcome of an attempt to post a registered notification.
    package func record(
        _ outcome: PostOutcome, of notificationUUID: NotificationUUID, in environment: AppStoreEnvironment = .production
    ) {
        let now = clocks.wallMilliseconds()
        state.withLock { state in
            state.environments[environment]?.store.notifications.record(
                SentNotifications.result(of: outcome), of: notificationUUID.rawValue, at: now)
        }
    }

    /// Notes that a registered notification was never delivered. The history lists it with one attempt without a
    /// response.
    package func recordLoss(
        of notificationUUID: NotificationUUID, in environment: AppStoreEnvironment = .production
    ) {
        let now = clocks.wallMilliseconds()
        state.withLock { state in
            state.environments[environment]?.store.notifications.record(
                SentNotifications.noResponse, of: notificationUUID.rawValue, at: now)
        }
    }

    /// Lists a notification in the history of its environment, with its original signature. The history shows one
    /// attempt, made now, to which there was no response.
    ///
    /// - Returns: whether it was listed. Apps and environments that are not served have no history.
    @discardableResult package func list(_ captured: CapturedNotification) -> Bool {
        let now = clocks.wallMilliseconds()
        return state.withLock { state in
            guard captured.bundleId == settings.app.bundleId, state.environments[captured.environment] != nil else {
                return false
            }
            state.environments[captured.environment]?.store.notifications.add(captured, at: now)
            state.environments[captured.environment]?.store.notifications.record(
                SentNotifications.noResponse, of: captured.notificationUUID.rawValue, at: now)
            return true
        }
    }
}
