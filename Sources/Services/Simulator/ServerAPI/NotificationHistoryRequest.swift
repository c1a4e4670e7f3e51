internal import AppStoreModel
internal import JSON

/// The body of Get Notification History (Apple's NotificationHistoryRequest).
struct NotificationHistoryRequest {
    private static let members: Set<String> = [
        "startDate", "endDate", "notificationType", "notificationSubtype", "transactionId", "onlyFailures",
    ]

    let transactionId: String?
    private let dates: Range<Int64>
    private let type: NotificationType?
    private let subtype: Subtype?
    private let onlyFailures: Bool

    /// Returns the maximum age of a notification in the history.
    static func reach(in environment: AppStoreEnvironment) -> Duration {
        .days(environment == .sandbox ? 30 : 180)
    }

    init(_ body: [UInt8], environment: AppStoreEnvironment, now: Int64) throws(ServerAPIError) {
        let object = try RequestBody.object(body, members: Self.members, otherwise: .generalBadRequest)
        guard let start = object["startDate"]?.integer, start >= 0 else { throw .invalidStartDate }
        guard let end = object["endDate"]?.integer, end >= 0 else { throw .invalidEndDate }
        guard start < end else { throw .startDateAfterEndDate }
        guard start >= now - Self.reach(in: environment).milliseconds else { throw .startDateTooFarInPast }
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

    /// - Parameter customer: the customer to whom `transactionId` belongs, if known.
    func includes(_ sent: SentNotifications.Sent, customer: String?, in store: ServerAPIStore) -> Bool {
        guard dates.contains(sent.date) else { return false }
        if onlyFailures, sent.isDelivered { return false }
        if let type, sent.notificationType != type { return false }
        if let subtype, sent.subtype != subtype { return false }
        guard let transactionId else { return true }
        return sent.transactionIds.contains { id in
            id == transactionId || customer != nil && store.customerOfId[id] == customer
        }
    }
}
