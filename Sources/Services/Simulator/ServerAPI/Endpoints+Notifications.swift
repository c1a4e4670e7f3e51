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
