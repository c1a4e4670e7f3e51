internal import AppStoreModel
internal import AppStoreSigning
internal import Bytes
internal import JSON

// Get Notification History, and test notifications.
extension ServerAPIEnvironment {
    /// Milliseconds for which a pagination token is good.
    private static let paginationLifetime = Duration.hours(1).milliseconds

    func notificationHistory(_ input: Input) throws(ServerAPIError) -> Outcome {
        try input.query.checkNames(["paginationToken"])
        let request = try NotificationHistoryRequest(input.body, environment: app.environment, now: input.now)
        let cursor = HistoryCursor(of: "notifications/\(FNV1a.hash(input.body))")
        let skipped = try skipped(cursor, input)
        let customer = request.transactionId.flatMap { store.customerOfId[$0] }
        let found = store.notifications.all.filter { request.includes($0, customer: customer, in: store) }
        let page = found.dropFirst(skipped).prefix(Self.pageSize)
        let hasMore = found.count > skipped + page.count
        var items: [JSONObject] = []
        for sent in page { items.append(try item(sent)) }
        var body = JSONObject()
        if hasMore { body.put("paginationToken", "\(input.now).\(cursor.revision(at: skipped + page.count))") }
        body.put("hasMore", hasMore)
        body.put("notificationHistory", items)
        return .answer(body)
    }

    private func skipped(_ cursor: HistoryCursor, _ input: Input) throws(ServerAPIError) -> Int {
        guard let token = try input.query.value("paginationToken", .invalidPaginationToken) else { return 0 }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let issued = Int64(parts[0]) else { throw .invalidPaginationToken }
        guard let position = try? cursor.position(of: String(parts[1])) else { throw .invalidPaginationToken }
        guard input.now < issued.addingReportingOverflow(Self.paginationLifetime).partialValue else {
            throw .paginationTokenExpired
        }
        return position
    }

    private func item(_ sent: SentNotifications.Sent) throws(ServerAPIError) -> JSONObject {
        var item = JSONObject()
        item.put("signedPayload", try signedPayload(sent.notification))
        item.put("sendAttempts", sent.attempts.map(Self.attempt))
        return item
    }

    private func signedPayload(_ notification: UnsignedNotification) throws(ServerAPIError) -> String {
        do throws(AppStoreSigningError) {
            return String(decoding: try notification.signed(by: signer), as: UTF8.self)
        } catch {
            throw .generalInternal
        }
    }

    private static func attempt(_ attempt: SentNotifications.Attempt) -> JSONObject {
        var object = JSONObject()
        object.put("attemptDate", attempt.date)
        object.put("sendAttemptResult", attempt.result)
        return object
    }

    mutating func requestTestNotification(_ input: Input) throws(ServerAPIError) -> Outcome {
        guard hasNotificationURL else { throw .notificationURLNotFound }
        let notification = notification(
            .test, containerName: "data", container: app.identity, subject: nil, now: input.now)
        let token = "\(Self.freshUUID())_\(input.now)"
        store.testNotifications[token] = notification.notificationUUID.rawValue
        var body = JSONObject()
        body.put("testNotificationToken", token)
        var outcome = Outcome.answer(body)
        outcome.notifications = [notification]
        return outcome
    }

    func testNotificationStatus(_ token: String) throws(ServerAPIError) -> Outcome {
        let parts = token.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, UUIDBytes(text: parts[0].utf8) != nil, Int64(parts[1]) != nil else {
            throw .invalidTestNotificationToken
        }
        guard let uuid = store.testNotifications[token], let sent = store.notifications[uuid], !sent.attempts.isEmpty
        else { throw .testNotificationNotFound }
        return .answer(try item(sent))
    }
}

// Notifications that requests lead to.
extension ServerAPIEnvironment {
    /// A notification about a transaction as it is stored now; `nil` when it is not known.
    func notification(
        _ type: NotificationType, about transactionId: String, reason: ConsumptionRequestReason? = nil, now: Int64
    ) -> UnsignedNotification? {
        guard var transaction = store.transactions[transactionId]?.payload else { return nil }
        let original = transaction["originalTransactionId"]?.string ?? transactionId
        transaction.put("signedDate", now)
        var container = app.identity
        container.put("bundleVersion", "42")
        container.put("consumptionRequestReason", reason?.rawValue)
        var renewal = store.renewals[original]?.payload
        if renewal != nil {
            renewal?.put("signedDate", now)
            container.put("status", store.status(of: original, at: now))
        }
        return notification(
            type, containerName: "data", container: container, subject: original, transaction: transaction,
            renewal: renewal, now: now)
    }

    func notification(
        _ type: NotificationType, _ subtype: Subtype? = nil, containerName: String, container: JSONObject,
        subject: String?, transaction: JSONObject? = nil, renewal: JSONObject? = nil, now: Int64
    ) -> UnsignedNotification {
        let uuid = Self.freshUUID()
        var head = JSONObject()
        head.put("notificationType", type.rawValue)
        head.put("subtype", subtype?.rawValue)
        head.put("notificationUUID", uuid)
        head.put("version", "2.0")
        head.put("signedDate", now)
        return UnsignedNotification(
            scenario: "", run: 0, notificationType: type, subtype: subtype, notificationUUID: NotificationUUID(uuid),
            signedDate: now,
            originalTransactionId: (transaction?["originalTransactionId"]?.string).map { OriginalTransactionId($0) },
            transactionId: (transaction?["transactionId"]?.string).map { TransactionId($0) },
            subject: subject ?? uuid, transaction: transaction?.bytes, renewalInfo: renewal?.bytes,
            appTransaction: nil, head: head, containerName: containerName, container: container)
    }
}

/// The body of Get Notification History (Apple: NotificationHistoryRequest).
struct NotificationHistoryRequest {
    private static let members: Set<String> = [
        "startDate", "endDate", "notificationType", "notificationSubtype", "transactionId", "onlyFailures",
    ]

    let transactionId: String?
    private let dates: Range<Int64>
    private let type: NotificationType?
    private let subtype: Subtype?
    private let onlyFailures: Bool

    init(_ body: [UInt8], environment: AppStoreEnvironment, now: Int64) throws(ServerAPIError) {
        let object = try RequestBody.object(body, members: Self.members, otherwise: .generalBadRequest)
        guard let start = object["startDate"]?.integer, start >= 0 else { throw .invalidStartDate }
        guard let end = object["endDate"]?.integer, end >= 0 else { throw .invalidEndDate }
        guard start < end else { throw .startDateAfterEndDate }
        let days: Int64 = environment == .sandbox ? 30 : 180
        guard start >= now - Duration.days(days).milliseconds else { throw .startDateTooFarInPast }
        dates = start..<max(end, start)
        (type, subtype) = try Self.type(object)
        transactionId = try Self.transactionId(object)
        guard type == nil || transactionId == nil else { throw .multipleFilters }
        let failures = object["onlyFailures"]
        guard failures == nil || failures?.bool != nil else { throw .generalBadRequest }
        onlyFailures = failures?.bool == true
    }

    private static func type(_ object: JSONObject) throws(ServerAPIError) -> (NotificationType?, Subtype?) {
        var type: NotificationType?
        if let value = object["notificationType"] {
            type = value.string.map { NotificationType($0) }
            guard type?.isKnown == true else { throw .invalidNotificationType }
        }
        guard let value = object["notificationSubtype"] else { return (type, nil) }
        guard type != nil, let subtype = value.string.map({ Subtype($0) }), subtype.isKnown else {
            throw .invalidNotificationType
        }
        return (type, subtype)
    }

    private static func transactionId(_ object: JSONObject) throws(ServerAPIError) -> String? {
        guard let value = object["transactionId"] else { return nil }
        guard let id = value.string else { throw .invalidTransactionId }
        try ServerAPIEnvironment.checkId(id, otherwise: .invalidTransactionId)
        return id
    }

    /// - Parameter customer: the one that `transactionId` belongs to.
    func includes(_ sent: SentNotifications.Sent, customer: String?, in store: ServerAPIStore) -> Bool {
        let notification = sent.notification
        guard dates.contains(notification.signedDate) else { return false }
        if let type, notification.notificationType != type { return false }
        if let subtype, notification.subtype != subtype { return false }
        if onlyFailures, sent.isDelivered { return false }
        guard transactionId != nil else { return true }
        let owner = notification.transactionId.flatMap { store.customerOfId[$0.rawValue] }
        return owner != nil && owner == customer
    }
}
