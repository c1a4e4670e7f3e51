package import AppStoreModel
package import AppStoreSigning
internal import Dispatch
package import HTTPServer
package import JSON
internal import Synchronization
package import Time

/// The App Store Server API of the simulated App Store, on this machine: one listener for each environment.
///
/// It knows the transactions that were registered, by the scenarios or by hand, checks requests as strictly as Apple
/// documents, keeps to limits, fails on purpose where it is told to, and keeps the consumption answers that it got.
/// Outside of `/inApps` it shows them: `/simulator/consumption` and the others of ``SimulatorInspection``.
package final class SimulatedServerAPI: Sendable {
    /// What is served, and how.
    package struct Settings: Sendable {
        /// The app; its environment is that of each listener.
        package var app: SimulatedApp
        /// Who may ask.
        package var credentials: ServerAPICredentials
        /// A listener for each.
        package var environments: [AppStoreEnvironment] = [.production, .sandbox]
        /// The port of each listener; 0 or absent: one that the system chooses.
        package var ports: [AppStoreEnvironment: UInt16] = [:]
        package var host = "127.0.0.1"
        package var limits = ServerAPILimits.unlimited
        package var faults = ServerAPIFaults.none
        /// Whether consumption is taken for transactions that no one registered.
        package var acceptsUnknownTransactions = false
        package var followUp = RefundFollowUp()
        /// How long a pagination token of Get Notification History is good.
        package var paginationLifetime = Duration.hours(1)
        /// Posts the body of a notification and says how that ended; without it none is posted.
        package var post: Post?
        /// Calls back after so long.
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

    /// A server that is not started.
    ///
    /// - Parameters:
    ///   - pki: signs the answers and notifications.
    ///   - clock: dates of answers and tokens go by the wall clock, limits by the monotonic one.
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

    /// Binds the listeners and serves.
    ///
    /// - Throws: as ``HTTPServer/start()``.
    package func start() throws(HTTPServerError) {
        let server = HTTPServer(listeners: settings.environments.map { listener($0) })
        try server.start()
        self.server.withLock { $0 = server }
    }

    /// Stops serving. What waits for an answer is reset, and nothing is posted any more.
    package func stop() async {
        let held = state.withLock { $0.stop() }
        for exchange in held { exchange.reset() }
        let server = server.withLock { $0.take() }
        await server?.drain(within: .milliseconds(200))
    }

    // MARK: What it is asked by its owner

    /// The port of an environment's listener; 0 before `start()`.
    package func port(of environment: AppStoreEnvironment) -> UInt16 {
        guard let index = settings.environments.firstIndex(of: environment) else { return 0 }
        return server.withLock { $0?.port(of: index) ?? 0 }
    }

    /// The port of the first listener: production, unless the settings say otherwise.
    package var port: UInt16 { settings.environments.first.map { port(of: $0) } ?? 0 }

    /// `http://127.0.0.1:PORT`, what a client takes for the base URL of the environment.
    package func url(of environment: AppStoreEnvironment = .production) -> String {
        "http://\(settings.host):\(port(of: environment))"
    }

    /// Every PUT of consumption information with a good token, in the order of arrival.
    package var answers: [ConsumptionAnswer] { state.withLock { $0.answers.all } }

    /// The cases, in the order of opening.
    package var refunds: [SimulatedRefund] { state.withLock { $0.cases.all } }

    /// How requests fail on purpose; may be changed at any time.
    package var faults: ServerAPIFaults {
        get { state.withLock { $0.faults } }
        set { state.withLock { $0.faults = newValue } }
    }

    /// Requests with a good token, those beyond the limit included.
    package func requests(of operation: ServerAPIOperation, in environment: AppStoreEnvironment = .production) -> Int {
        rate(of: operation, in: environment).requests
    }

    /// Requests that were answered 429 because of the limit.
    package func refusedRequests(
        of operation: ServerAPIOperation, in environment: AppStoreEnvironment = .production
    ) -> Int { rate(of: operation, in: environment).refused }

    /// The most requests that any second saw, wherever that second begins; those beyond the limit included.
    package func busiestSecond(
        of operation: ServerAPIOperation, in environment: AppStoreEnvironment = .production
    ) -> Int { rate(of: operation, in: environment).busiestSecond }

    private func rate(of operation: ServerAPIOperation, in environment: AppStoreEnvironment) -> RequestRate {
        state.withLock { $0.rates[ServerAPIState.RateKey(environment: environment, operation: operation)] }
            ?? RequestRate()
    }

    /// How many requests were refused for what was wrong with their token.
    package var tokenProblems: [String: Int] {
        state.withLock { state in
            Dictionary(uniqueKeysWithValues: state.tokenProblems.map { ($0.key.rawValue, $0.value) })
        }
    }

    // MARK: What it is told

    /// Takes up a transaction of any content. It is signed exactly as given, until a refund or a request changes it.
    ///
    /// - Parameters:
    ///   - transaction: the decoded payload of `signedTransactionInfo`; without a `transactionId` nothing is taken up.
    ///   - renewalInfo: that of `signedRenewalInfo`, for a subscription.
    ///   - status: Apple's `status` of the subscription; `nil` computes it from both.
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

    /// Takes up what a notification says, and lists it among those that were sent.
    ///
    /// - Parameter isListed: the history has version 2 alone; what is sent in another form is taken up only.
    package func register(
        _ notification: UnsignedNotification, in environment: AppStoreEnvironment = .production, isListed: Bool = true
    ) {
        state.withLock { state in
            state.environments[environment]?.store.register(notification)
            guard isListed else { return }
            state.environments[environment]?.store.notifications.add(notification)
        }
    }

    /// Notes how an attempt to post a registered notification ended.
    package func record(
        _ outcome: PostOutcome, of notificationUUID: NotificationUUID, in environment: AppStoreEnvironment = .production
    ) {
        let now = clocks.wallMilliseconds()
        state.withLock { state in
            state.environments[environment]?.store.notifications.record(
                SentNotifications.result(of: outcome), of: notificationUUID.rawValue, at: now)
        }
    }

    /// Notes that a registered notification was never delivered: the history lists it with an attempt that got no
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

    /// Lists a notification in the history of its environment as sent now, never delivered, and signed as it is.
    ///
    /// - Returns: whether it was listed: an app or an environment that is not served has no history.
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
