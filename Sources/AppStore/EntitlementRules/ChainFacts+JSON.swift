package import AppStoreModel

/// Why a text is no chain. Equality compares code and cause.
package struct ChainFormatError: Error, Hashable, Sendable {
    package enum Code: String, Sendable, CaseIterable {
        case invalidJSON = "invalid_json"
        /// Environment, bundleId or originalTransactionId is missing.
        case noIdentity = "no_identity"
        /// A format version that this library cannot read: a later one than it writes.
        case unknownFormat = "unknown_format"
    }

    package var code: Code
    package var cause: JSONError?
}

extension ChainFacts {
    /// Version of the form that is written. Additions keep it, since unknown members are kept by every reader; a change
    /// that older readers would misunderstand raises it.
    package static let formatVersion: Int64 = 1

    /// The facts as JSON: purchases by date, events oldest first, dates in milliseconds since 1970, Apple's names.
    /// Equal facts have equal texts.
    package var json: JSONObject {
        var object = JSONObject()
        object.set("formatVersion", Self.formatVersion)
        object.set("environment", environment)
        object.set("bundleId", bundleId)
        object.set("originalTransactionId", originalTransactionId)
        object.set("purchases", orderedPurchases.map { .object($0.json) })
        object["renewalInfo"] = renewal.map { .object($0.json) }
        object["status"] = status.map { .object($0.json) }
        object["claim"] = claim.map { .object($0.json) }
        let upgrades = upgrades.sorted { $0.key < $1.key }
        object.set(
            "upgrades",
            upgrades.map { transactionId, signedDate in
                var upgrade = JSONObject()
                upgrade.set("transactionId", transactionId)
                upgrade.set("signedDate", signedDate)
                return .object(upgrade)
            })
        object.set("events", events.map { .object($0.json) })
        object.add(unknown: unknownFields)
        return object
    }

    /// Reads what ``json`` wrote. A member of the wrong kind reads as absent.
    package init(json object: JSONObject) throws(ChainFormatError) {
        var fields = FactsReader(object)
        guard let format = fields.int64("formatVersion"), format <= Self.formatVersion else {
            throw ChainFormatError(code: .unknownFormat)
        }
        guard let environment: AppStoreEnvironment = fields.enumeration("environment"),
            let bundleId: BundleId = fields.identifier("bundleId"),
            let originalTransactionId: OriginalTransactionId = fields.identifier("originalTransactionId")
        else { throw ChainFormatError(code: .noIdentity) }
        self.init(environment: environment, bundleId: bundleId, originalTransactionId: originalTransactionId)
        for purchase in fields.array("purchases").compactMap({ $0.object.flatMap(PurchaseFacts.init(json:)) }) {
            insert(purchase)
        }
        if let facts = fields.object("renewalInfo").flatMap(RenewalFacts.init(json:)) { insert(facts) }
        if let facts = fields.object("status").flatMap(StatusFacts.init(json:)) { insert(facts) }
        if let facts = fields.object("claim").flatMap(OwnerClaim.init(json:)) { insert(facts) }
        for upgrade in fields.array("upgrades").compactMap(\.object) {
            var fields = FactsReader(upgrade)
            guard let transactionId: TransactionId = fields.identifier("transactionId"),
                let signedDate = fields.instant("signedDate")
            else { continue }
            insertUpgrade(to: transactionId, signedDate: signedDate)
        }
        for event in fields.array("events").compactMap({ $0.object.flatMap(ChainEvent.init(json:)) }) {
            insert(event)
        }
        insertUnknown(fields.remaining)
    }

    package init(json text: [UInt8]) throws(ChainFormatError) {
        let value: JSONValue
        do { value = try JSONValue(json: text) } catch { throw ChainFormatError(code: .invalidJSON, cause: error) }
        guard let object = value.object else { throw ChainFormatError(code: .noIdentity) }
        try self.init(json: object)
    }

    /// The facts as JSON text: a row of a store.
    package var jsonText: [UInt8] { JSONValue.object(json).json }
}

extension ChainFacts {
    /// The value of a record of the entitlement topic: for readers in any language the answer as of the moment of
    /// publishing, and under `facts` what is joined.
    package func published(at instant: AppStoreInstant, rules: ProductRules) -> [UInt8] {
        let answer = EntitlementAnswer(chains: [self], environment: environment, at: instant, rules: rules)
        var object = JSONObject()
        object.set("environment", environment)
        object.set("bundleId", bundleId)
        object.set("originalTransactionId", originalTransactionId)
        object.set("appAccountToken", appAccountToken)
        object.set("appTransactionId", appTransactionId)
        for member in answer.json.members { object[member.name] = member.value }
        object["facts"] = .object(json)
        return JSONValue.object(object).json
    }

    /// Reads the facts out of a record of the entitlement topic.
    package init(published text: [UInt8]) throws(ChainFormatError) {
        let value: JSONValue
        do { value = try JSONValue(json: text) } catch { throw ChainFormatError(code: .invalidJSON, cause: error) }
        guard let facts = value.object?["facts"]?.object else { throw ChainFormatError(code: .noIdentity) }
        try self.init(json: facts)
    }
}
