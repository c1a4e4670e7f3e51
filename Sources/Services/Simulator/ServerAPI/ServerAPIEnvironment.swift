internal import AppStoreModel
internal import AppStoreSigning
internal import JSON

/// The endpoints of one environment, backed by its store. Its methods neither wait nor post.
struct ServerAPIEnvironment: Sendable {
    let app: SimulatedApp
    let signer: JWSSigner
    /// Whether consumption information is accepted for unregistered transactions.
    let acceptsUnknownTransactions: Bool
    /// Whether there is a URL to which notifications are posted.
    let hasNotificationURL: Bool
    /// The lifetime of a pagination token.
    var paginationLifetime = Duration.hours(1)
    var store = ServerAPIStore()

    /// The result of a request.
    struct Outcome: Sendable {
        var status = 200
        var body: JSONObject?
        /// Notifications to post.
        var notifications: [UnsignedNotification] = []
        /// The consumption information in an accepted request.
        var information: ConsumptionInformation?

        static let done = Outcome()

        static func answer(_ body: JSONObject) -> Outcome { Outcome(body: body) }
    }

    /// The parts of a request other than the path.
    struct Input: Sendable {
        let query: ServerAPIQuery
        let body: [UInt8]
        /// The current time in milliseconds since 1970.
        let now: Int64
    }

    /// Performs a request.
    ///
    /// - Throws: Apple's error response.
    mutating func perform(_ route: ServerAPIRoute, _ input: Input) throws(ServerAPIError) -> Outcome {
        let parameter = route.parameters.first ?? ""
        switch route.operation {
        case .getTransactionInfo: return try transactionInfo(parameter, input)
        case .getAllSubscriptionStatuses: return try subscriptionStatuses(parameter, input)
        case .getTransactionHistory: return try transactionHistory(parameter, input)
        case .getRefundHistory: return try refundHistory(parameter, input)
        case .getNotificationHistory: return try notificationHistory(input)
        case .requestTestNotification: return try requestTestNotification(input)
        case .getTestNotificationStatus: return try testNotificationStatus(parameter)
        case .sendConsumptionInformation: return try consumption(parameter, input)
        case .sendConsumptionInformationV1: return try consumptionV1(parameter, input)
        case .lookUpOrderId: return try order(parameter, input)
        case .extendRenewalDate: return try extendRenewalDate(parameter, input)
        case .extendRenewalDateForAllActiveSubscribers: return try massExtension(input)
        case .getStatusOfRenewalDateExtensions:
            return try massExtensionStatus(productId: parameter, requestIdentifier: route.parameters.last ?? "")
        case .setAppAccountToken: return try setAppAccountToken(parameter, input)
        case .getAppTransactionInfo: return try appTransactionInfo(parameter, input)
        case .finishTransaction: return try finish(parameter)
        }
    }

    // MARK: Identifiers

    /// Maximum length of an id that is looked up.
    private static let maximumIdLength = 32
    /// The prefix of ids that request an error. If the seven digits of an error code follow, the response is that
    /// error. Such ids also request errors that depend on Apple's internal data.
    static let errorIdPrefix = "9999"

    /// - Throws: `error` if the id is not a number, or the error that the id requests.
    static func checkId(_ id: String, otherwise error: ServerAPIError) throws(ServerAPIError) {
        guard (1...maximumIdLength).contains(id.utf8.count), id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw error
        }
        if id.utf8.count == 11, id.hasPrefix(errorIdPrefix), let code = Int64(id.dropFirst(4)),
            let named = ServerAPIError.withCode(code)
        {
            throw named
        }
    }

    /// Returns the customer for any kind of transaction id.
    func customer(of id: String) throws(ServerAPIError) -> String {
        try Self.checkId(id, otherwise: .invalidTransactionId)
        guard let customer = store.customerOfId[id] else { throw .transactionIdNotFound }
        return customer
    }

    // MARK: Signing

    func sign(_ transaction: ServerAPIStore.StoredTransaction, now: Int64) throws(ServerAPIError) -> String {
        try sign(transaction.payload, isVerbatim: transaction.isVerbatim, now: now)
    }

    /// Returns the compact JWS. The App Store signs the objects in a response at the time of the response.
    func sign(_ payload: JSONObject, isVerbatim: Bool = false, now: Int64) throws(ServerAPIError) -> String {
        var payload = payload
        if !isVerbatim { payload.put("signedDate", max(now, payload["signedDate"]?.integer ?? .min)) }
        return try sign(payload.bytes)
    }

    func sign(_ payload: [UInt8]) throws(ServerAPIError) -> String {
        do throws(AppStoreSigningError) {
            return String(decoding: try signer.sign(payload), as: UTF8.self)
        } catch {
            throw .generalInternal
        }
    }

    /// Returns a version 4 UUID for a notification that a request causes. Uses the system's random number generator,
    /// because a seeded one would repeat the UUID in another run.
    static func freshUUID() -> String {
        var generator = SystemRandomNumberGenerator()
        return SeededGenerator.uuidText(generator.next(), generator.next())
    }
}
