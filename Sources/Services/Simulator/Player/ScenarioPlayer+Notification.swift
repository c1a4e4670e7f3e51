internal import AppStoreModel
internal import JSON

extension ScenarioPlayer {
    /// Returns the notification that the App Store sends about the event. It contains the facts after the event.
    func notification(of event: ScenarioEvent, notificationUUID: String) -> UnsignedNotification {
        var head = JSONObject()
        head.put("notificationType", event.notificationType.rawValue)
        head.put("subtype", event.subtype?.rawValue)
        head.put("notificationUUID", notificationUUID)
        head.put("version", "2.0")
        head.put("signedDate", now)
        let content = content(of: event, notificationUUID: notificationUUID)
        return UnsignedNotification(
            scenario: scenario.name, run: run, notificationType: event.notificationType, subtype: event.subtype,
            notificationUUID: NotificationUUID(notificationUUID), signedDate: now,
            originalTransactionId: (content.transaction?.originalTransactionId).map { OriginalTransactionId($0) },
            transactionId: (content.transaction?.transactionId).map { TransactionId($0) },
            subject: content.transaction?.originalTransactionId ?? content.subject ?? notificationUUID,
            transaction: content.transaction?.payload(signedDate: now, app: app, account: account).bytes,
            renewalInfo: content.renewalInfo?.bytes, appTransaction: content.appTransaction?.bytes, head: head,
            containerName: content.name, container: content.container)
    }

    /// The object in a notification, and its nested objects.
    private struct Content {
        let name: String
        var container: JSONObject
        /// The subject of a notification without a transaction.
        var subject: String?
        var transaction: Transaction?
        var renewalInfo: JSONObject?
        var appTransaction: JSONObject?
    }

    private func content(of event: ScenarioEvent, notificationUUID: String) -> Content {
        switch event.container {
        case .purchase: purchaseData(of: event)
        case .app: Content(name: "data", container: identity())
        case .summary: summary(of: event, notificationUUID: notificationUUID)
        case .externalPurchaseToken: externalPurchaseToken()
        case .appData: appData()
        case .unclaimInfo: unclaimInfo(of: event, notificationUUID: notificationUUID)
        }
    }

    private func identity() -> JSONObject { app.identity }

    private func purchaseData(of event: ScenarioEvent) -> Content {
        var content = Content(name: "data", container: identity())
        content.container.put("bundleVersion", account.appVersion)
        if case .asksForRefund(let reason) = event {
            content.container.put("consumptionRequestReason", reason.rawValue)
        }
        guard let transaction else { return content }
        content.transaction = subject ?? transaction
        if let renewal {
            content.renewalInfo = renewal.payload(signedDate: now, transaction: transaction, app: app, account: account)
            // For a cancellation after a price increase, Apple documents only the transaction and the renewal
            // information.
            if event != .cancelsAfterPriceIncrease {
                content.container.put("status", renewal.status(of: transaction, at: now))
            }
        }
        return content
    }

    private func summary(of event: ScenarioEvent, notificationUUID: String) -> Content {
        var generator = SeededGenerator(seed: 0, purpose: "request/\(notificationUUID)")
        let requestIdentifier = generator.uuid()
        var content = Content(name: "summary", container: identity(), subject: requestIdentifier)
        content.container.put("requestIdentifier", requestIdentifier)
        content.container.put("productId", scenario.product.productId(in: app.bundleId))
        content.container.put("storefrontCountryCodes", ["USA", "CAN", "MEX"])
        if case .massExtensionFinished(let succeeded, let failed) = event {
            content.container.put("succeededCount", succeeded)
            content.container.put("failedCount", failed)
        }
        return content
    }

    /// Returns a custom link token, because Apple sends CREATED and ACTIVE_TOKEN_REMINDER only for these.
    private func externalPurchaseToken() -> Content {
        // All notifications about one token contain the same members, so they do not depend on the step.
        let creationDate = tokenCreationDate ?? now
        let prefix = app.environment == .sandbox ? "SANDBOX_" : ""
        let externalPurchaseId = prefix + account.appAccountToken
        var token = JSONObject()
        token.put("externalPurchaseId", externalPurchaseId)
        token.put("tokenCreationDate", creationDate)
        // Unlike in other objects, the app id is sent in both environments, so that a receiver can match the token to
        // the app.
        token.put("appAppleId", app.appAppleId.rawValue)
        token.put("bundleId", app.bundleId.rawValue)
        token.put("tokenType", "ACQUISITION")
        token.put("tokenExpirationDate", creationDate + Duration.days(365).milliseconds)
        return Content(name: "externalPurchaseToken", container: token, subject: externalPurchaseId)
    }

    /// Returns the ids of unclaimed seats, as documented by Apple. The app is identified as in the other objects.
    private func unclaimInfo(of event: ScenarioEvent, notificationUUID: String) -> Content {
        var content = Content(name: "unclaimInfo", container: identity())
        guard case .seatsUnclaimed(let count) = event else { return content }
        var generator = SeededGenerator(seed: 0, purpose: "seats/\(notificationUUID)")
        content.container.put("unclaimSeatIds", (0..<count).map { _ in generator.uuid() })
        return content
    }

    private func appData() -> Content {
        var content = Content(name: "appData", container: identity(), subject: account.appTransactionId)
        content.appTransaction = AppTransaction(
            appTransactionId: account.appTransactionId, applicationVersion: account.appVersion
        ).payload(app: app, receiptCreationDate: now)
        return content
    }
}
