package import AppStoreModel
package import JSON

/// An error while parsing a purchase from JSON text. Equality compares the code and the cause.
package struct PurchaseFormatError: Error, Hashable, Sendable {
    package enum Code: String, Sendable, CaseIterable {
        case invalidJSON = "invalid_json"
        /// The environment, bundleId or originalTransactionId is missing.
        case noIdentity = "no_identity"
        /// Text in the dense format is malformed.
        case invalidFacts = "invalid_facts"
        /// The format version is missing or no longer supported.
        case outdatedFormat = "outdated_format"
        /// The format version is newer than this library supports, so the row must never be overwritten.
        case unknownFormat = "unknown_format"
    }

    package var code: Code
    package var cause: JSONError?
}

extension PurchaseFacts {
    /// The format version to write. Additional members do not change it, because every reader keeps unknown members. A
    /// change that older readers would misinterpret increments it.
    package static let formatVersion: Int64 = 2

    /// The facts as JSON text, with Apple's names, dates in milliseconds since 1970, and transactions and events as
    /// dense text. Equal facts have identical text. This text is the row in the store and a member of the published
    /// value.
    package var jsonText: [UInt8] { JSONWriter.text { $0.object { write(to: &$0) } } }

    private func write(to object: inout JSONWriter) {
        object.set("formatVersion", Self.formatVersion)
        object.set("environment", environment)
        object.set("bundleId", bundleId)
        object.set("originalTransactionId", originalTransactionId)
        Self.write(latestTransaction, as: "latestTransaction", to: &object)
        Self.write(renewal, as: "renewalInfo", to: &object)
        Self.write(status, as: "status", to: &object)
        Self.write(claim, as: "claim", to: &object)
        Self.write(namedAccount, as: "namedAccount", to: &object)
        transactions.write(to: &object)
        Self.write(upgrades.map { ($0.key.id.rawValue, $0.value) }, as: "upgrades", to: &object)
        Self.write(purchases, to: &object)
        history.write(to: &object)
        Self.write(successors.map { ($0.key.rawValue, $0.value) }, as: "successors", to: &object)
        Self.write(predecessors.map { ($0.key.rawValue, $0.value) }, as: "predecessors", to: &object)
        Self.write(transferredToken, as: "transferredToken", to: &object)
        Self.write(transferredClaim, as: "transferredClaim", to: &object)
        if let legacy { object.object("legacy") { legacy.write(to: &$0) } }
        object.set("erasedAt", erasedAt)
        object.add(unknownFields)
    }

    private static func write(_ facts: (some VersionedFacts)?, as name: StaticString, to object: inout JSONWriter) {
        guard let facts else { return }
        object.name(name)
        facts.writeObject(to: &object)
    }

    /// Writes pairs of ID and date, sorted by ID. Omits an empty list.
    private static func write(_ dates: [(String, AppStoreInstant)], as name: StaticString, to object: inout JSONWriter)
    {
        guard !dates.isEmpty else { return }
        object.array(name) { array in
            for (id, date) in dates.sorted(by: { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }) {
                array.array {
                    $0.string(id)
                    $0.integer(date.millisecondsSince1970)
                }
            }
        }
    }

    /// Writes pairs of start and signedDate, sorted by start. Omits an empty list.
    private static func write(_ purchases: [AppStoreInstant: AppStoreInstant], to object: inout JSONWriter) {
        guard !purchases.isEmpty else { return }
        object.array("bought") { array in
            for (start, signedDate) in purchases.sorted(by: { $0.key < $1.key }) {
                array.array {
                    $0.integer(start.millisecondsSince1970)
                    $0.integer(signedDate.millisecondsSince1970)
                }
            }
        }
    }

    /// Reads the output of ``jsonText``. A member of the wrong type is treated as absent.
    ///
    /// Parts that a merge does not change are later written back unchanged.
    package init(json text: [UInt8]) throws(PurchaseFormatError) { try self.init(Self.object(text), keepsText: true) }

    private static func object(_ text: [UInt8]) throws(PurchaseFormatError) -> JSONElement {
        let root: JSONElement
        do {
            // In a published value, the facts are nested one level deeper than in a row, so one more level is allowed.
            root = try JSONDocument(text, maximumDepth: JSONDocument.defaultMaximumDepth + 1).root
        } catch {
            throw PurchaseFormatError(code: .invalidJSON, cause: error)
        }
        guard root.kind == .object else { throw PurchaseFormatError(code: .noIdentity) }
        return root
    }

    private init(_ element: JSONElement, keepsText: Bool) throws(PurchaseFormatError) {
        var fields = FieldReader(element)
        guard let format = fields.int64("formatVersion"), format >= Self.formatVersion else {
            throw PurchaseFormatError(code: .outdatedFormat)
        }
        guard format == Self.formatVersion else { throw PurchaseFormatError(code: .unknownFormat) }
        guard let environment: AppStoreEnvironment = fields.enumeration("environment"),
            let bundleId: BundleId = fields.identifier("bundleId"),
            let originalTransactionId: OriginalTransactionId = fields.identifier("originalTransactionId")
        else { throw PurchaseFormatError(code: .noIdentity) }
        self.init(environment: environment, bundleId: bundleId, originalTransactionId: originalTransactionId)
        let latestTransaction = fields.object("latestTransaction").flatMap(TransactionDetails.init(_:))
        if let facts = fields.object("renewalInfo").flatMap({ RenewalFacts($0, keepsText: keepsText) }) {
            insert(facts)
        }
        if let facts = fields.object("status").flatMap(StatusFacts.init(_:)) { insert(facts) }
        if let facts = fields.object("claim").flatMap(OwnerClaim.init(_:)) { insert(facts) }
        let namedAccount = fields.object("namedAccount").flatMap(OwnerClaim.init(_:))
        var traits: [TransactionTraits] = []
        fields.element("traits")?.forEachElement { if $0.kind == .object { traits.append(TransactionTraits($0)) } }
        guard let transactionText = fields.dense("transactions"), let eventText = fields.dense("events"),
            let transactions = Transactions(dense: transactionText, traits: traits),
            let events = PurchaseEvents(dense: eventText, kinds: fields.element("eventKinds"))
        else { throw PurchaseFormatError(code: .invalidFacts) }
        let legacyElement = fields.object("legacy")
        let legacy = legacyElement.flatMap { LegacyFacts($0, keepsText: keepsText) }
        if legacyElement != nil, legacy == nil { throw PurchaseFormatError(code: .invalidFacts) }
        for (id, signedDate) in Self.dates(fields.element("upgrades")) {
            insertUpgrade(to: TransactionId(id), signedDate: signedDate)
        }
        fields.element("bought")?.forEachElement { element in
            guard let (first, second) = element.pair, let start = Self.date(first), let signedDate = Self.date(second)
            else { return }
            insertPurchase(at: start, signedDate: signedDate)
        }
        for (id, since) in Self.dates(fields.element("successors")) {
            insertSuccessor(OriginalTransactionId(id), since: since)
        }
        let predecessors = Self.dates(fields.element("predecessors")).map { (OriginalTransactionId($0), $1) }
        if let facts = fields.object("transferredToken").flatMap(OwnerClaim.init(_:)) {
            insert(transferredToken: facts)
        }
        if let facts = fields.object("transferredClaim").flatMap(OwnerClaim.init(_:)) {
            insert(transferredClaim: facts)
        }
        let erasedAt = fields.instant("erasedAt")
        restore(
            transactions, events, legacy, latestTransaction: latestTransaction, namedAccount: namedAccount,
            predecessors: predecessors, unknownFields: fields.unknownFields)
        if let erasedAt { erase(upTo: erasedAt) }
    }

    private static func dates(_ element: JSONElement?) -> [(String, AppStoreInstant)] {
        var dates: [(String, AppStoreInstant)] = []
        element?.forEachElement { element in
            guard let (first, second) = element.pair, let id = first.string, let date = date(second) else { return }
            dates.append((id, date))
        }
        return dates
    }

    private static func date(_ element: JSONElement) -> AppStoreInstant? {
        element.integer.flatMap { AppStoreInstant(millisecondsSince1970: $0) }
    }
}

extension PurchaseFacts {
    /// Encodes the value of an entitlement topic record: the answer at the time of publication, for readers in any
    /// language, and the joined facts under `facts`. If all facts were erased, the value is nil, that is, a tombstone.
    ///
    /// - Parameter row: ``jsonText``, if already computed.
    package func published(at instant: AppStoreInstant, rules: ProductRules, row: [UInt8]? = nil) -> PublishedPurchase {
        if isErased { return PublishedPurchase(value: nil, nextChange: nil) }
        let answer = EntitlementAnswer(purchases: [self], environment: environment, at: instant, rules: rules)
        let row = row ?? jsonText
        let value = JSONWriter.text { writer in
            writer.object { object in
                object.set("version", version(at: instant))
                object.set("environment", environment)
                object.set("bundleId", bundleId)
                if !isConsent { object.set("originalTransactionId", originalTransactionId) }
                object.set("appAccountToken", owner(at: instant))
                object.set("appTransactionId", appTransactionId)
                object.set("consentRescindedAt", consentRescindedAt)
                answer.write(to: &object)
                if answer.trust != .signed { object.set("trust", answer.trust.rawValue) }
                if awaitsConfirmation(rules.legacyTrust) { object.set("awaitsConfirmation", true) }
                if let event = allEvents.last { Self.write(latestNotification: event, to: &object) }
                object.name("facts")
                object.text(row)
            }
        }
        return PublishedPurchase(
            value: value, nextChange: answer.nextChange, isUnknown: answer.grants.contains(where: \.isUnknown),
            needsStatusQuery: answer.grants.contains(where: \.needsStatusQuery),
            problems: Set(answer.reports.map(\.problem)))
    }

    private static func write(latestNotification event: PurchaseEvent, to object: inout JSONWriter) {
        object.object("latestNotification") {
            $0.set("notificationType", event.notificationType)
            $0.set("subtype", event.subtype)
            $0.set(event.version)
        }
    }

    /// Reads the facts from an entitlement topic record.
    package init(published text: [UInt8]) throws(PurchaseFormatError) {
        guard let facts = try Self.object(text)["facts"], facts.kind == .object else {
            throw PurchaseFormatError(code: .noIdentity)
        }
        // Another program may have written the record, so the facts are parsed and encoded again.
        try self.init(facts, keepsText: false)
    }
}

extension PurchaseFacts {
    /// Returns the value of an entitlement topic record with its facts replaced by these. Used by processes without a
    /// products file. The published answer and its version remain unchanged; sluice-entitlements reads the facts and
    /// publishes the resulting answer.
    ///
    /// - Parameter published: the value of a record about the same purchase.
    /// - Throws: ``PurchaseFormatError`` with code `noIdentity` for a value without facts.
    package func contributed(to published: [UInt8]) throws(PurchaseFormatError) -> [UInt8] {
        let root = try Self.object(published)
        guard root["facts"]?.kind == .object else { throw PurchaseFormatError(code: .noIdentity) }
        let facts = jsonText
        return JSONWriter.text { writer in
            writer.object { object in
                for member in root.members {
                    object.name(of: member.name)
                    if member.name == "facts" { object.text(facts) } else { object.text(member.value.bytes) }
                }
            }
        }
    }
}

/// The published value of a purchase, and the time when it changes without a notification.
package struct PublishedPurchase: Hashable, Sendable {
    package var value: [UInt8]?
    package var nextChange: AppStoreInstant?
    /// Whether access depends on unread input that may change the published value.
    package var isUnknown = false
    /// Whether Apple must be queried because the known facts do not fully explain the status that it reported.
    package var needsStatusQuery = false
    /// The reasons why transactions may grant less than intended.
    package var problems: Set<EntitlementProblem> = []
}
