internal import AppStoreModel
internal import EntitlementRules
internal import JSON
internal import KeyedState
internal import Records

extension ReadAPI {
    /// Returns the consent rows of the customers who made the purchases, without duplicates. Apple identifies the
    /// customer by appTransactionId when it reports that a parent or guardian has withdrawn consent for a child to use
    /// the app.
    func consents(of purchases: [PurchaseFacts], _ rows: StateView<EntitlementsModel>) throws -> [PurchaseFacts] {
        var keys: Set<[String]> = []
        var consents: [PurchaseFacts] = []
        for purchase in purchases {
            guard let id = purchase.appTransactionId else { continue }
            let key = RecordKey.purchase(purchase.bundleId, OriginalTransactionId(id.rawValue))
            guard keys.insert([purchase.environment.rawValue, key]).inserted else { continue }
            let row = try rows.state(of: Array(key.utf8), in: topics.state(purchase.environment))
            if let row, row.isConsent { consents.append(row) }
        }
        return consents
    }
}

extension EntitlementsFinding {
    /// Writes `consents`: the consents that had been withdrawn by the requested time. Writes nothing if there are none.
    func writeConsents(to body: inout JSONWriter) {
        let withdrawn = consents.filter { consent in
            guard let rescindedAt = consent.consentRescindedAt else { return false }
            return query.at.map { rescindedAt <= $0 } ?? true
        }
        guard !withdrawn.isEmpty else { return }
        body.array(ReadAPIName.consents) { array in
            for consent in withdrawn {
                array.object {
                    $0.set(ReadAPIName.environment, consent.environment.rawValue)
                    $0.set(ReadAPIName.bundleId, consent.bundleId.rawValue)
                    $0.set(ReadAPIName.appTransactionId, consent.appTransactionId?.rawValue)
                    $0.set(ReadAPIName.rescindedAt, consent.consentRescindedAt)
                }
            }
        }
    }
}
