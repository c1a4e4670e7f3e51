internal import AppStoreModel
internal import JSON

/// Determines whether the transaction for a version 1 CONSUMPTION_REQUEST is certain. The body does not identify the
/// transaction, so it is certain only if the body names a purchase and the receipt contains exactly one unrefunded
/// transaction for that purchase.
enum LegacyRequest {
    /// - Parameters:
    ///   - legacy: the body as received. If nil, the transaction is never certain.
    ///   - transactionId: the transaction that the request is assumed to concern.
    static func isAmbiguous(_ legacy: JSONElement?, _ transactionId: TransactionId) -> Bool {
        guard let legacy, let original = id(legacy["original_transaction_id"]),
            let receipt = legacy["unified_receipt"]?["latest_receipt_info"]?.elements
        else { return true }
        var candidates: Set<String> = []
        for element in receipt where id(element["original_transaction_id"]) == original && !isCancelled(element) {
            guard let found = id(element["transaction_id"]) else { return true }
            candidates.insert(found)
        }
        return candidates != [transactionId.rawValue]
    }

    private static func isCancelled(_ element: JSONElement) -> Bool {
        element["cancellation_date_ms"] != nil || element["cancellation_date"] != nil
    }

    /// Returns the ID. Apple has sent IDs both as strings and as numbers.
    private static func id(_ element: JSONElement?) -> String? {
        element?.string ?? element?.integer.map { String($0) }
    }
}
