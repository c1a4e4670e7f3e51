internal import AppStoreModel
internal import JSON

/// The App Store's data for one environment: transactions, renewals, and sent notifications.
struct ServerAPIStore: Sendable {
    struct StoredTransaction: Sendable {
        /// The payload of `signedTransactionInfo`.
        var payload: JSONObject
        /// The customer's key in `customers`.
        let customer: String
        /// A counter that increases whenever any transaction changes.
        var modification: Int
        /// Whether the payload, including `signedDate`, is signed without changes.
        var isVerbatim = false
    }

    struct StoredRenewal: Sendable {
        var payload: JSONObject
        /// The registered status, or `nil` if it is derived from the facts.
        var status: Int64?
        var isVerbatim = false
    }

    private(set) var transactions: [String: StoredTransaction] = [:]
    /// Renewals by originalTransactionId.
    private(set) var renewals: [String: StoredRenewal] = [:]
    /// The ids of each customer's transactions, in registration order.
    private(set) var customers: [String: [String]] = [:]
    /// The customer of each transactionId, originalTransactionId and appTransactionId.
    private(set) var customerOfId: [String: String] = [:]
    /// The transaction ids of each purchase, by originalTransactionId.
    private(set) var purchases: [String: [String]] = [:]
    private(set) var orders: [String: [String]] = [:]
    private(set) var modifications = 0
    /// Tokens set by Set App Account Token, by originalTransactionId.
    private var accountTokens: [String: String] = [:]
    /// The times at which renewal dates were extended, by originalTransactionId.
    var extensions: [String: [Int64]] = [:]
    /// Mass extensions by product and requestIdentifier.
    var massExtensions: [String: MassExtension] = [:]
    var notifications = SentNotifications()
    /// The notificationUUID of each test notification, by token.
    var testNotifications: [String: String] = [:]

    // MARK: Registration

    /// Registers the transaction and renewal in a notification.
    mutating func register(_ notification: UnsignedNotification) {
        if let payload = Self.object(notification.transaction) { register(transaction: payload) }
        if let payload = Self.object(notification.renewalInfo) { register(renewal: payload, status: nil) }
    }

    /// Registers a transaction, unless a newer version is already registered.
    mutating func register(transaction payload: JSONObject, isVerbatim: Bool = false) {
        guard let id = payload["transactionId"]?.string else { return }
        let original = payload["originalTransactionId"]?.string ?? id
        if let known = transactions[id], Self.signedDate(known.payload) > Self.signedDate(payload) { return }
        let appTransactionId = payload["appTransactionId"]?.string
        let customer = transactions[id]?.customer ?? appTransactionId ?? customerOfId[original] ?? original
        if transactions[id] == nil {
            customers[customer, default: []].append(id)
            purchases[original, default: []].append(id)
            orders[Self.orderId(of: id), default: []].append(id)
        }
        for name in [id, original, appTransactionId].compactMap({ $0 }) { customerOfId[name] = customer }
        var payload = payload
        if let token = accountTokens[original] { payload["appAccountToken"] = .string(token) }
        modifications += 1
        transactions[id] = StoredTransaction(
            payload: payload, customer: customer, modification: modifications, isVerbatim: isVerbatim)
    }

    mutating func register(renewal payload: JSONObject, status: Int64?, isVerbatim: Bool = false) {
        guard let original = payload["originalTransactionId"]?.string else { return }
        if let known = renewals[original], Self.signedDate(known.payload) > Self.signedDate(payload) { return }
        renewals[original] = StoredRenewal(payload: payload, status: status, isVerbatim: isVerbatim)
    }

    /// Changes a registered transaction. From then on, its `signedDate` is updated in each response.
    mutating func change(_ transactionId: String, _ change: (inout JSONObject) -> Void) {
        guard var transaction = transactions[transactionId] else { return }
        change(&transaction.payload)
        modifications += 1
        transaction.modification = modifications
        transaction.isVerbatim = false
        transactions[transactionId] = transaction
    }

    mutating func setAppAccountToken(_ token: String, of original: String) {
        accountTokens[original] = token
        for id in purchases[original] ?? [] { change(id) { $0["appAccountToken"] = .string(token) } }
        renewals[original]?.payload["appAccountToken"] = .string(token)
    }

    mutating func changeRenewal(_ original: String, _ change: (inout JSONObject) -> Void) {
        guard var renewal = renewals[original] else { return }
        change(&renewal.payload)
        renewal.status = nil
        renewal.isVerbatim = false
        renewals[original] = renewal
    }

    // MARK: Lookup

    /// Returns a customer's transactions, least recently modified first.
    func transactions(ofCustomer customer: String) -> [StoredTransaction] {
        (customers[customer] ?? []).compactMap { transactions[$0] }.sorted { $0.modification < $1.modification }
    }

    /// Returns the current transaction of a subscription: the latest one that was not replaced. In a period with added
    /// seats, returns the one bought first.
    func currentTransaction(of original: String) -> StoredTransaction? {
        let bought = (purchases[original] ?? []).compactMap { transactions[$0] }
            .filter { $0.payload["isUpgraded"]?.bool != true }
        return bought.filter { one in !bought.contains { Self.adds(seats: one.payload, to: $0.payload) } }
            .max { Self.date($0.payload, "purchaseDate") < Self.date($1.payload, "purchaseDate") }
    }

    private static func adds(seats: JSONObject, to period: JSONObject) -> Bool {
        let start = date(seats, "purchaseDate")
        return seats["additionalTransactionReason"]?.string == "SEAT_ADDITION"
            && date(period, "purchaseDate") < start && start < date(period, "expiresDate")
    }

    /// Returns the `status` that Apple would report for a subscription at a given time: the registered status, or the
    /// one derived from the facts.
    func status(of original: String, at now: Int64) -> Int64 {
        guard let renewal = renewals[original] else { return 2 }
        if let status = renewal.status { return status }
        guard let current = currentTransaction(of: original)?.payload else { return 2 }
        if let revoked = current["revocationDate"]?.integer, revoked <= now { return 5 }
        if Self.date(current, "expiresDate") > now { return 1 }
        guard renewal.payload["isInBillingRetryPeriod"]?.bool == true else { return 2 }
        return Self.date(renewal.payload, "gracePeriodExpiresDate") > now ? 4 : 3
    }

    /// Returns the order id of a transaction. Apple's order ids are only on the customer's receipt, so the simulator
    /// derives its own from the transaction id.
    static func orderId(of transactionId: String) -> String { "M" + transactionId }

    static func date(_ payload: JSONObject, _ name: String) -> Int64 { payload[name]?.integer ?? .min }

    private static func signedDate(_ payload: JSONObject) -> Int64 { date(payload, "signedDate") }

    private static func object(_ json: [UInt8]?) -> JSONObject? {
        json.flatMap { (try? JSONValue(json: $0))?.object }
    }
}

/// The outcome of a mass renewal date extension.
struct MassExtension: Sendable, Equatable {
    let completeDate: Int64
    let succeeded: Int64
    let failed: Int64
}
