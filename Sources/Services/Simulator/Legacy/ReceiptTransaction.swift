internal import AppStoreModel
internal import JSON

// Serializes a transaction as it appears in receipts.
extension Transaction {
    /// The time at which the transaction was refunded, revoked or replaced by an upgrade.
    var cancellationDate: Int64? { revocation?.date ?? upgradeDate }

    private var cancellationReason: String? { cancellationDate == nil ? nil : String(revocation?.reason ?? 0) }

    private var isTrial: Bool { offer?.type == 1 && offer?.discountType == "FREE_TRIAL" }

    private var isIntroductory: Bool { offer?.type == 1 && !isTrial }

    /// Returns an element of `latest_receipt_info` in version 1. Every value is a string.
    func receiptElement(app: SimulatedApp, account: Account) -> JSONObject {
        var element = JSONObject()
        element.put("quantity", String(quantity))
        element.put("product_id", product.productId(in: app.bundleId))
        element.put("transaction_id", transactionId)
        element.put("original_transaction_id", originalTransactionId)
        element.put("web_order_line_item_id", webOrderLineItemId)
        element.putDate("purchase_date", purchaseDate)
        element.putDate("original_purchase_date", originalPurchaseDate)
        element.putDate("expires_date", expiresDate)
        element.putDate("cancellation_date", cancellationDate)
        element.put("cancellation_reason", cancellationReason)
        element.put("is_upgraded", isUpgraded ? "true" : nil)
        element.put("is_trial_period", isTrial ? "true" : "false")
        element.put("is_in_intro_offer_period", isIntroductory ? "true" : "false")
        element.put("promotional_offer_id", offer?.type == 2 ? offer?.identifier : nil)
        element.put("offer_code_ref_name", offer?.type == 3 ? offer?.identifier : nil)
        element.put("in_app_ownership_type", ownership.rawValue)
        element.put("app_account_token", ownership == .purchased ? account.appAccountToken : nil)
        element.put("subscription_group_identifier", product.kind == .autoRenewable ? Self.group : nil)
        return element
    }

    /// Returns the receipt object in the oldest format. Every value is a string, and `expires_date` is in milliseconds.
    func receiptObject(app: SimulatedApp, account: Account) -> JSONObject {
        var device = SeededGenerator(seed: 0, purpose: "device/\(account.appAccountToken)")
        var object = JSONObject()
        object.put("quantity", String(quantity))
        object.put("product_id", product.productId(in: app.bundleId))
        object.put("item_id", product.itemId)
        object.put("app_item_id", String(app.appAppleId.rawValue))
        object.put("transaction_id", transactionId)
        object.put("original_transaction_id", originalTransactionId)
        object.put("web_order_line_item_id", webOrderLineItemId)
        object.put("bid", app.bundleId.rawValue)
        object.put("bvrs", account.appVersion)
        object.put("version_external_identifier", "868200000")
        object.put("unique_identifier", device.digits(prefix: "", length: 40))
        object.put("unique_vendor_identifier", device.uuid().uppercased())
        object.putDate("purchase_date", purchaseDate)
        object.putDate("original_purchase_date", originalPurchaseDate)
        if let expiresDate {
            object.put("expires_date", String(expiresDate))
            object.put("expires_date_formatted", DateTexts.utc(expiresDate))
            object.put("expires_date_formatted_pst", DateTexts.losAngeles(expiresDate))
        }
        object.putDate("cancellation_date", cancellationDate)
        object.put("cancellation_reason", cancellationReason)
        object.put("is_trial_period", isTrial ? "true" : "false")
        object.put("is_in_intro_offer_period", isIntroductory ? "true" : "false")
        object.put("subscription_group_identifier", Self.group)
        return object
    }
}

extension Product {
    /// The App Store's number for the product, used as `item_id` and `auto_renew_adam_id`.
    var itemId: String {
        var generator = SeededGenerator(seed: 0, purpose: "item/\(suffix)")
        return generator.digits(prefix: "15", length: 10)
    }
}
