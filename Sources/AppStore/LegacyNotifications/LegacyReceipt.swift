internal import AppStoreModel
internal import JSON

/// The transactions and renewals in a body, in the same structure for both formats.
struct LegacyReceipt: Sendable {
    /// The transactions, in the order in which they appear in the body.
    let transactions: [ReceiptTransaction]
    /// One object per auto-renewable subscription. The oldest format has none.
    let renewals: [LegacyObject]

    init(_ body: LegacyBody, of originalTransactionId: OriginalTransactionId?) throws(LegacyError) {
        switch body.source {
        case .v1: try self.init(unifiedReceiptOf: body)
        case .v0: try self.init(receiptsOf: body, originalTransactionId)
        }
    }

    private init(unifiedReceiptOf body: LegacyBody) throws(LegacyError) {
        guard let receipt = body.root["unified_receipt"], receipt.kind == .object else {
            throw LegacyError(.receipt, "unified_receipt is not an object")
        }
        let object = LegacyObject(receipt)
        var transactions: [ReceiptTransaction] = []
        for element in try Self.elements(of: object["latest_receipt_info"]) {
            if let transaction = try ReceiptTransaction(element) { transactions.append(transaction) }
        }
        self.transactions = transactions
        renewals = try Self.elements(of: object["pending_renewal_info"]).map { LegacyObject($0) }
    }

    private init(receiptsOf body: LegacyBody, _ fallback: OriginalTransactionId?) throws(LegacyError) {
        for value in [body.root["latest_receipt_info"], body.root["latest_expired_receipt_info"]] {
            guard value.map({ $0.kind == .object }) ?? true else {
                throw LegacyError(.receipt, "a receipt in the body is not an object")
            }
        }
        var transactions: [ReceiptTransaction] = []
        for receipt in body.receipts {
            if let transaction = try ReceiptTransaction(receipt.element, of: fallback) {
                transactions.append(transaction)
            }
        }
        self.transactions = transactions
        renewals = []
    }

    /// Returns the objects of an array, or an empty array if it is absent.
    private static func elements(of array: JSONElement?) throws(LegacyError) -> [JSONElement] {
        guard let array else { return [] }
        guard array.kind == .array else { throw LegacyError(.receipt, "a member of unified_receipt is not an array") }
        var elements: [JSONElement] = []
        var index = array.index + 1
        while index < Int(array.document.nodes[array.index].next) {
            let element = JSONElement(document: array.document, index: index)
            guard elements.count < LegacyNotification.maximumElements else {
                throw LegacyError(.tooManyElements, "an array in unified_receipt has more than 1000 elements")
            }
            guard element.kind == .object else {
                throw LegacyError(.receipt, "an array element in unified_receipt is not an object")
            }
            elements.append(element)
            index = Int(array.document.nodes[index].next)
        }
        return elements
    }
}
