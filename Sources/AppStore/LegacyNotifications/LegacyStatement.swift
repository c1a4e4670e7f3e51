internal import AppStoreModel
internal import JSON

/// The body fields outside the receipt.
struct LegacyStatement: Sendable {
    let source: LegacySource
    /// The type as sent. It is a token, so it is safe in headers.
    let type: LegacyType
    let originalTransactionId: OriginalTransactionId?
    let webOrderLineItemId: WebOrderLineItemId?
    /// The date of the refund, revocation or replacement. Used only for CANCEL, REFUND and REVOKE.
    let cancellationDate: AppStoreInstant?
    let autoRenewProductId: ProductId?
    let autoRenewStatus: Bool?
    /// The `auto_renew_status` as sent.
    let autoRenewStatusText: String?
    let autoRenewStatusChangeDate: AppStoreInstant?
    let expirationIntent: Int32?
    let bundleVersion: String?
    let ignoredFields: Int

    init(_ body: LegacyBody) throws(LegacyError) {
        var root = body.root
        guard let typeElement = root["notification_type"], typeElement.kind == .string else {
            throw LegacyError(.form, "notification_type is absent or not a string")
        }
        guard let type = try root.text("notification_type"), TextGrammar.isToken(type) else {
            throw LegacyError(.text, "notification_type is not a token")
        }
        source = body.source
        self.type = LegacyType(rawValue: type)
        originalTransactionId = try root.number("original_transaction_id")
        webOrderLineItemId = try root.identifier("web_order_line_item_id")
        cancellationDate = root.date(.cancellation)
        autoRenewProductId = try root.identifier("auto_renew_product_id")
        autoRenewStatus = root.flag("auto_renew_status")
        autoRenewStatusText = root.spelling("auto_renew_status")
        autoRenewStatusChangeDate = root.date(.autoRenewStatusChange)
        expirationIntent = root.int32("expiration_intent")
        let sentVersion = try root.text("bvrs")
        let receiptVersion = body.source == .v0 ? try body.receipts.first?.text("bvrs") : nil
        bundleVersion = sentVersion ?? receiptVersion
        ignoredFields = root.ignoredFields
    }
}
