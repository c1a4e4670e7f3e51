internal import AppStoreModel
internal import AppStoreSigning
internal import JSON

/// The endpoints of one environment, over its store. A value: it waits for nothing and posts nothing.
struct ServerAPIEnvironment: Sendable {
    let app: SimulatedApp
    let signer: JWSSigner
    /// Whether consumption is taken for transactions that no one registered.
    let acceptsUnknownTransactions: Bool
    /// Whether there is a URL to post notifications to.
    let hasNotificationURL: Bool
    /// For which a pagination token is good.
    var paginationLifetime = Duration.hours(1)
    var store = ServerAPIStore()

    /// What a request led to.
    struct Outcome: Sendable {
        var status = 200
        var body: JSONObject?
        /// To be posted.
        var notifications: [UnsignedNotification] = []
        /// Of a consumption answer.
        var information: ConsumptionInformation?

        static let done = Outcome()

        static func answer(_ body: JSONObject) -> Outcome { Outcome(body: body) }
    }

    /// What a request says besides its path.
    struct Input: Sendable {
        let query: ServerAPIQuery
        let body: [UInt8]
        /// Milliseconds since 1970.
        let now: Int64
    }

    /// Carries a request out.
    ///
    /// - Throws: what Apple answers instead.
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

    /// The longest id that is looked up.
    private static let maximumIdLength = 32
    /// An id that begins so and goes on with the seven digits of an error code is answered with that error, for the
    /// errors that depend on what only Apple knows.
    static let errorIdPrefix = "9999"

    /// - Throws: `error` unless it is a number; the error that it names, where it names one.
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

    /// The customer that any kind of transaction id belongs to.
    func customer(of id: String) throws(ServerAPIError) -> String {
        try Self.checkId(id, otherwise: .invalidTransactionId)
        guard let customer = store.customerOfId[id] else { throw .transactionIdNotFound }
        return customer
    }

    // MARK: Signing

    func sign(_ transaction: ServerAPIStore.StoredTransaction, now: Int64) throws(ServerAPIError) -> String {
        try sign(transaction.payload, isVerbatim: transaction.isVerbatim, now: now)
    }

    /// The compact JWS. The App Store signs what it answers at the time of the answer.
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

    /// A version 4 UUID of the system's generator: what is sent on request is never sent a second time.
    static func freshUUID() -> String {
        var generator = SystemRandomNumberGenerator()
        return SeededGenerator.uuidText(generator.next(), generator.next())
    }
}
