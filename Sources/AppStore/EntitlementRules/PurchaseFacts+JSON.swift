package import AppStoreModel
package import JSON

/// Why a text is no purchase. Equality compares code and cause.
package struct PurchaseFormatError: Error, Hashable, Sendable {
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

extension PurchaseFacts {
    /// Version of the form that is written. Additions keep it, since unknown members are kept by every reader; a change
    /// that older readers would misunderstand raises it.
    package static let formatVersion: Int64 = 1

    /// The facts as JSON text: transactions by date, events oldest first, dates in milliseconds since 1970, Apple's names.
    /// Equal facts have equal texts. A row of a store, and a member of what is published.
    package var jsonText: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1024)
        writer.object { write(to: &$0) }
        return writer.bytes
    }

    private func write(to object: inout JSONWriter) {
        object.set("formatVersion", Self.formatVersion)
        object.set("environment", environment)
        object.set("bundleId", bundleId)
        object.set("originalTransactionId", originalTransactionId)
        Self.write(transactions.values, as: "transactions", to: &object)
        if let renewal {
            object.name("renewalInfo")
            renewal.writeObject(to: &object)
        }
        Self.write(status, as: "status", to: &object)
        Self.write(claim, as: "claim", to: &object)
        if !upgrades.isEmpty {
            object.array("upgrades") { array in
                for (transactionId, signedDate) in upgrades.sorted(by: { $0.key < $1.key }) {
                    array.object {
                        $0.set("transactionId", transactionId)
                        $0.set("signedDate", signedDate)
                    }
                }
            }
        }
        Self.write(events, as: "events", to: &object)
        if !successors.isEmpty {
            object.array("successors") { array in
                for (id, since) in successors.sorted(by: { $0.key < $1.key }) {
                    array.object {
                        $0.set("originalTransactionId", id)
                        $0.set("since", since)
                    }
                }
            }
        }
        Self.write(transferredToken, as: "transferredToken", to: &object)
        Self.write(transferredClaim, as: "transferredClaim", to: &object)
        object.set("erasedAt", erasedAt)
        object.add(unknownFields)
    }

    private static func write(_ facts: (some VersionedFacts)?, as name: StaticString, to object: inout JSONWriter) {
        guard let facts else { return }
        object.object(name) { facts.write(to: &$0) }
    }

    /// An empty array is left out.
    private static func write<Content>(_ facts: [Facts<Content>], as name: StaticString, to object: inout JSONWriter) {
        guard !facts.isEmpty else { return }
        object.array(name) { array in for one in facts { one.writeObject(to: &array) } }
    }

    /// Reads what ``jsonText`` wrote. A member of the wrong kind reads as absent.
    ///
    /// What no merge touches is written again as it was read.
    package init(json text: [UInt8]) throws(PurchaseFormatError) { try self.init(Self.object(text), keepsText: true) }

    private static func object(_ text: [UInt8]) throws(PurchaseFormatError) -> JSONElement {
        let root: JSONElement
        do {
            // One level more than what is published inside another object.
            root = try JSONDocument(text, maximumDepth: JSONDocument.defaultMaximumDepth + 1).root
        } catch {
            throw PurchaseFormatError(code: .invalidJSON, cause: error)
        }
        guard root.kind == .object else { throw PurchaseFormatError(code: .noIdentity) }
        return root
    }

    private init(_ element: JSONElement, keepsText: Bool) throws(PurchaseFormatError) {
        var fields = FieldReader(element)
        guard let format = fields.int64("formatVersion"), format <= Self.formatVersion else {
            throw PurchaseFormatError(code: .unknownFormat)
        }
        guard let environment: AppStoreEnvironment = fields.enumeration("environment"),
            let bundleId: BundleId = fields.identifier("bundleId"),
            let originalTransactionId: OriginalTransactionId = fields.identifier("originalTransactionId")
        else { throw PurchaseFormatError(code: .noIdentity) }
        self.init(environment: environment, bundleId: bundleId, originalTransactionId: originalTransactionId)
        for element in fields.objects("transactions") {
            if let transaction = TransactionFacts(element, keepsText: keepsText) { insert(transaction) }
        }
        if let facts = fields.object("renewalInfo").flatMap({ RenewalFacts($0, keepsText: keepsText) }) {
            insert(facts)
        }
        if let facts = fields.object("status").flatMap(StatusFacts.init(_:)) { insert(facts) }
        if let facts = fields.object("claim").flatMap(OwnerClaim.init(_:)) { insert(facts) }
        for element in fields.objects("upgrades") {
            var fields = FieldReader(element)
            guard let transactionId: TransactionId = fields.identifier("transactionId"),
                let signedDate = fields.instant("signedDate")
            else { continue }
            insertUpgrade(to: transactionId, signedDate: signedDate)
        }
        for element in fields.objects("events") {
            if let event = PurchaseEvent(element, keepsText: keepsText) { insert(event) }
        }
        for element in fields.objects("successors") {
            var fields = FieldReader(element)
            guard let id: OriginalTransactionId = fields.identifier("originalTransactionId"),
                let since = fields.instant("since")
            else { continue }
            insertSuccessor(id, since: since)
        }
        if let facts = fields.object("transferredToken").flatMap(OwnerClaim.init(_:)) {
            insert(transferredToken: facts)
        }
        if let facts = fields.object("transferredClaim").flatMap(OwnerClaim.init(_:)) {
            insert(transferredClaim: facts)
        }
        let erasedAt = fields.instant("erasedAt")
        insertUnknown(fields.unknownFields)
        if let erasedAt { erase(upTo: erasedAt) }
    }
}

extension PurchaseFacts {
    /// The value of a record of the entitlement topic: for readers in any language the answer as of the moment of
    /// publishing, and under `facts` what is joined. Nil, a tombstone, when everything was erased.
    ///
    /// - Parameter row: ``jsonText``, where it is at hand.
    package func published(at instant: AppStoreInstant, rules: ProductRules, row: [UInt8]? = nil) -> PublishedPurchase {
        if isErased { return PublishedPurchase(value: nil, nextChange: nil) }
        let answer = EntitlementAnswer(purchases: [self], environment: environment, at: instant, rules: rules)
        let row = row ?? jsonText
        var writer = JSONWriter(reservingCapacity: row.count + 1024)
        writer.object { object in
            object.set("environment", environment)
            object.set("bundleId", bundleId)
            object.set("originalTransactionId", originalTransactionId)
            object.set("appAccountToken", appAccountToken)
            object.set("appTransactionId", appTransactionId)
            answer.write(to: &object)
            object.name("facts")
            object.text(row)
        }
        return PublishedPurchase(value: writer.bytes, nextChange: answer.nextChange)
    }

    /// Reads the facts out of a record of the entitlement topic.
    package init(published text: [UInt8]) throws(PurchaseFormatError) {
        guard let facts = try Self.object(text)["facts"], facts.kind == .object else {
            throw PurchaseFormatError(code: .noIdentity)
        }
        // Whoever wrote it: what is kept is written anew.
        try self.init(facts, keepsText: false)
    }
}

/// What the entitlement topic says of a purchase, and when it will say something else without a notification.
package struct PublishedPurchase: Hashable, Sendable {
    package var value: [UInt8]?
    package var nextChange: AppStoreInstant?
}
