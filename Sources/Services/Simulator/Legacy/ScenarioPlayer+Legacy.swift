internal import AppStoreModel
internal import JSON

extension ScenarioPlayer {
    /// Returns the bodies, in a format before version 2, that the App Store sends for an event. They contain the
    /// purchase's data as it is after the event.
    ///
    /// - Parameter receiptTransactions: the minimum number of transactions in a version 1 receipt; earlier purchases
    ///   are added to reach it.
    func legacyBodies(
        of event: ScenarioEvent, _ format: NotificationFormat, receiptTransactions: Int
    ) -> [UnsignedLegacyBody] {
        guard let current = transaction else { return [] }
        return legacyTypes(of: event, format).map { type in
            let about = type == .cancel ? cancelled(by: event) ?? current : subject ?? current
            let members =
                format == .v1
                ? version1Body(type, receiptTransactions: receiptTransactions) : oldestBody(type, about: about)
            return UnsignedLegacyBody(
                format: format, type: type, date: now,
                originalTransactionId: OriginalTransactionId(about.originalTransactionId),
                transactionId: TransactionId(about.transactionId), members: members)
        }
    }

    func legacyTypes(of event: ScenarioEvent, _ format: NotificationFormat) -> [LegacyNotificationType] {
        // The old formats have no fields for seats or commitments, and do not report assignments or Advanced Commerce
        // purchases.
        guard let transaction, !transaction.product.isMultiSeat, !transaction.product.isAdvancedCommerce,
            transaction.product.committedPeriods == 0, transaction.ownership != .assigned
        else { return [] }
        return LegacyEventTable(
            kind: transaction.product.kind, ownership: transaction.ownership, environment: app.environment,
            changedRenewalStatus: renewalStatusChangeDate == now,
            changedProduct: former.map { $0.product != transaction.product } ?? false
        ).types(of: event, format)
    }

    /// Returns the transaction that a CANCEL notification refers to: the one that was replaced by an upgrade or
    /// refunded.
    private func cancelled(by event: ScenarioEvent) -> Transaction? {
        switch event {
        case .upgrades, .redeemsUpgrading: former
        default: subject
        }
    }

    /// Returns the members at the start of a body, which are the same in version 1 and the oldest format.
    private func head(_ type: LegacyNotificationType) -> JSONObject {
        var body = JSONObject()
        body.put("notification_type", type.rawValue)
        body.put("environment", app.environment == .production ? "PROD" : app.environment.rawValue)
        if let renewal {
            body.put("auto_renew_adam_id", renewal.nextProduct.itemId)
            body.put("auto_renew_product_id", renewal.nextProduct.productId(in: app.bundleId))
            body.put("auto_renew_status", renewal.renewsAutomatically ? "true" : "false")
        }
        return body
    }

    // MARK: Version 1

    private func version1Body(_ type: LegacyNotificationType, receiptTransactions: Int) -> JSONObject {
        var body = head(type)
        body.put("bid", app.bundleId.rawValue)
        body.put("bvrs", account.appVersion)
        body.put("original_transaction_id", (transaction?.originalTransactionId).flatMap { Int64($0) })
        if type == .didChangeRenewalStatus {
            body.putDate("auto_renew_status_change_date", renewalStatusChangeDate ?? now)
        }
        body.put("expiration_intent", (renewal?.expirationIntent?.rawValue).map { Int64($0) })
        if type == .cancel, let cancelled = subject ?? transaction {
            body.putDate("cancellation_date", cancelled.cancellationDate)
            body.put("web_order_line_item_id", cancelled.webOrderLineItemId)
        }
        body.put("deprecation", "Mon, 1 Mar 2027 00:00:00 Etc/GMT")
        body.put("unified_receipt", unifiedReceipt(receiptTransactions))
        return body
    }

    private func unifiedReceipt(_ minimum: Int) -> JSONObject {
        var elements = receipt.reversed().map { $0.receiptElement(app: app, account: account) }
        elements += earlierPurchases(minimum - elements.count)
        var unified = JSONObject()
        unified.put("environment", app.environment.rawValue)
        unified.put("latest_receipt", base64Receipt)
        unified.put("latest_receipt_info", elements)
        unified.put("pending_renewal_info", renewal.map { [$0.pendingElement(app: app, at: now)] } ?? [])
        unified.put("status", 0)
        return unified
    }

    /// Returns purchases that the customer made before the scenario, newest first.
    private func earlierPurchases(_ count: Int) -> [JSONObject] {
        guard count > 0, let first = receipt.first else { return [] }
        return (0..<count).map { index in
            let id = String(400_000_000_000_000 + runNumber * 100_000 + Int64(count - index))
            let date = first.originalPurchaseDate - Int64(index + 1) * Duration.hours(1).milliseconds
            return Transaction(
                transactionId: id, originalTransactionId: id, product: .lifetime, ownership: .purchased,
                purchaseDate: date, originalPurchaseDate: date, price: 0
            ).receiptElement(app: app, account: account)
        }
    }

    /// Random text that looks like a receipt but cannot be decoded.
    private var base64Receipt: String {
        var generator = SeededGenerator(seed: 0, purpose: "receipt/\(account.appAccountToken)/\(now)")
        return "MIIT" + (0..<64).map { _ in String(generator.next() | 1 << 63, radix: 36) }.joined().prefix(508)
    }

    // MARK: The oldest format

    private func oldestBody(_ type: LegacyNotificationType, about: Transaction) -> JSONObject {
        var body = head(type)
        body.put("original_transaction_id", about.originalTransactionId)
        let object = about.receiptObject(app: app, account: account)
        switch type {
        case .cancel:
            body.putDate("cancellation_date", about.cancellationDate)
            body.put("web_order_line_item_id", about.webOrderLineItemId)
            body.put("latest_expired_receipt", base64Receipt)
            body.put("latest_expired_receipt_info", object)
        case .renewal:
            body.put("latest_receipt", base64Receipt)
            body.put("latest_receipt_info", object)
            body.put("latest_expired_receipt_info", former?.receiptObject(app: app, account: account))
        default:
            let isActive = about.cancellationDate == nil && about.expiresDate.map { $0 > now } ?? true
            body.put(isActive ? "latest_receipt" : "latest_expired_receipt", base64Receipt)
            body.put(isActive ? "latest_receipt_info" : "latest_expired_receipt_info", object)
        }
        return body
    }
}

extension Renewal {
    /// Returns an element of `pending_renewal_info` in version 1. Every value is a string.
    fileprivate func pendingElement(app: SimulatedApp, at now: Int64) -> JSONObject {
        var element = JSONObject()
        element.put("original_transaction_id", originalTransactionId)
        element.put("product_id", product.productId(in: app.bundleId))
        element.put("auto_renew_product_id", nextProduct.productId(in: app.bundleId))
        element.put("auto_renew_status", renewsAutomatically ? "1" : "0")
        element.put("expiration_intent", (expirationIntent?.rawValue).map { String($0) })
        let stopped = expirationIntent == nil ? nil : "0"
        element.put("is_in_billing_retry_period", isInBillingRetry ? "1" : stopped)
        element.putDate("grace_period_expires_date", sendsGracePeriodDate ? gracePeriodExpiresDate : nil)
        element.put("price_consent_status", priceIncreaseStatus.map { String($0) })
        element.put("price_increase_status", priceIncreaseStatus.map { String($0) })
        element.put("promotional_offer_id", offer?.type == 2 ? offer?.identifier : nil)
        element.put("offer_code_ref_name", offer?.type == 3 ? offer?.identifier : nil)
        return element
    }
}
