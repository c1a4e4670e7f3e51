import Foundation
import Primitives

/// Bodies of version 1 and of the oldest format, for the harness's app.
struct LegacyBody {
    static let secret = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"

    var type = "DID_RENEW"
    /// A JSON value that replaces ``type``.
    var typeValue: String?
    /// A JSON value.
    var password = "\"\(Self.secret)\""
    var bid: String? = TestAppStore.bundleId
    /// A JSON value that replaces ``bid``.
    var bidValue: String?
    var nextProduct = "com.example.pro.month"
    var environment = "PROD"
    var receiptEnvironment = "Production"
    var originalTransactionId = "440000599543880"
    /// A JSON value that replaces the receipt's id.
    var namedTransactionId: String?
    var transactions = 1
    /// Additional members of the body, each followed by a comma.
    var further = ""
    /// The whole value of `latest_receipt_info`, which replaces the transactions.
    var receiptInfo: String?
    /// Number of bytes in the base64 receipt.
    var receiptBytes = 64

    private static let start = TestTime.start

    var text: String {
        let bid = (bidValue ?? self.bid.map { "\"\($0)\"" }).map { #""bid":\#($0),"bvrs":"42","# } ?? ""
        return #"{"notification_type":\#(typeValue ?? "\"\(type)\""),"environment":"\#(environment)","#
            + #""password":\#(password),"#
            + bid + further + #""auto_renew_product_id":"\#(nextProduct)","auto_renew_status":"true","#
            + #""original_transaction_id":\#(namedTransactionId ?? originalTransactionId),"unified_receipt":{"#
            + #""environment":"\#(receiptEnvironment)","status":0,"#
            + #""latest_receipt":"\#(String(repeating: "M", count: receiptBytes))","#
            + #""latest_receipt_info":\#(receiptInfo ?? elements),"pending_renewal_info":[{"#
            + #""original_transaction_id":"\#(originalTransactionId)","product_id":"com.example.pro.month","#
            + #""auto_renew_product_id":"\#(nextProduct)","auto_renew_status":"1"}]}}"#
    }

    var bytes: [UInt8] { Array(text.utf8) }

    private var elements: String {
        let elements = (0..<transactions).map { index in
            let bought = Self.start - 86_400_000 - Int64(index) * 2_592_000_000
            return #"{"transaction_id":"44000061\#(String(format: "%07d", transactions - index))","#
                + #""original_transaction_id":"\#(originalTransactionId)","web_order_line_item_id":"4400002005\#(index)","#
                + #""product_id":"com.example.pro.month","quantity":"1","purchase_date_ms":"\#(bought)","#
                + #""purchase_date":"2027-01-01 00:00:00 Etc/GMT","purchase_date_pst":"2026-12-31 America/Los_Angeles","#
                + #""original_purchase_date_ms":"1700000000000","expires_date_ms":"\#(bought + 2_592_000_000)","#
                + #""is_trial_period":"false","is_in_intro_offer_period":"false","#
                + #""in_app_ownership_type":"PURCHASED","subscription_group_identifier":"20497362"}"#
        }
        return "[" + elements.joined(separator: ",") + "]"
    }

    /// Returns a body of the oldest format.
    static func statusUpdate(type: String = "INITIAL_BUY", further: String = "") -> [UInt8] {
        let bought = start - 86_400_000
        return Array(
            (#"{"notification_type":"\#(type)","environment":"PROD","password":"\#(secret)","#
                + #""auto_renew_status":"true","auto_renew_product_id":"com.example.pro.month","# + further
                + #""latest_receipt":"MIITabcdefgh","latest_receipt_info":{"bid":"\#(TestAppStore.bundleId)","bvrs":"1","#
                + #""transaction_id":"440000611111111","original_transaction_id":"440000599543880","#
                + #""product_id":"com.example.pro.month","unique_identifier":"device-1234567890","#
                + #""unique_vendor_identifier":"vendor-1234567890","purchase_date_ms":"\#(bought)","#
                + #""original_purchase_date_ms":"\#(bought)","expires_date":"\#(bought + 2_592_000_000)","#
                + #""quantity":"1"}}"#).utf8)
    }
}
