internal import AppStoreModel
internal import AppStoreSigning
internal import JSON
internal import Primitives

// Endpoints for the notification history and test notifications.
extension ServerAPIEnvironment {
    func notificationHistory(_ input: Input) throws(ServerAPIError) -> Outcome {
        try input.query.checkNames(["paginationToken"])
        let request = try NotificationHistoryRequest(input.body, environment: app.environment, now: input.now)
        let cursor = HistoryCursor(of: "notifications/\(FNV1a.hash(input.body))")
        let begin = try position(cursor, input)
        let customer = request.transactionId.flatMap { store.customerOfId[$0] }
        let page = store.notifications.page(from: begin, size: Self.pageSize) {
            request.includes($0, customer: customer, in: store)
        }
        var items: [JSONObject] = []
        for sent in page.sent { items.append(try item(sent)) }
        var body = JSONObject()
        body.put("paginationToken", page.next.map { "\(input.now).\(cursor.revision(at: $0))" })
        body.put("hasMore", page.next != nil)
        body.put("notificationHistory", items)
        return .answer(body)
    }

    private func position(_ cursor: HistoryCursor, _ input: Input) throws(ServerAPIError) -> Int {
        guard let token = try input.query.value("paginationToken", .invalidPaginationToken) else { return 0 }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let issued = Int64(parts[0]) else { throw .invalidPaginationToken }
        guard let position = try? cursor.position(of: String(parts[1])) else { throw .invalidPaginationToken }
        guard input.now < issued.addingReportingOverflow(paginationLifetime.milliseconds).partialValue else {
            throw .paginationTokenExpired
        }
        return position
    }

    private func item(_ sent: SentNotifications.Sent) throws(ServerAPIError) -> JSONObject {
        var item = JSONObject()
        switch sent.content {
        case .simulated(let notification): item.put("signedPayload", try signedPayload(notification))
        case .captured(let captured): item.put("signedPayload", captured.signedPayload)
        }
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
