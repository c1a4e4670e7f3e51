package import AppStoreModel
internal import JSON

/// The part of the newest statement about a transaction that is needed to answer requests and to merge facts.
///
/// A newer statement replaces an older one completely. If the newer statement has no revocation, the revocation is
/// removed; this is how Apple reports the reversal of a refund.
package struct TransactionFacts: Hashable, Sendable {
    let key: TransactionKey
    package let version: TransactionVersion
    /// The purchase date of the transaction, or of the original transaction if only that is available, or
    /// ``AppStoreInstant/earliest`` if neither is.
    package let start: AppStoreInstant
    package let expiresDate: AppStoreInstant?
    package var revocationDate: AppStoreInstant?
    var traits: TransactionTraits

    init(
        key: TransactionKey, version: TransactionVersion, start: AppStoreInstant, expiresDate: AppStoreInstant?,
        revocationDate: AppStoreInstant?, traits: TransactionTraits
    ) {
        self.key = key
        self.version = version
        self.start = start
        self.expiresDate = expiresDate
        self.revocationDate = revocationDate
        self.traits = traits
    }

    /// - Parameter traitsText: the JSON text of the transaction's traits, if available.
    init(_ details: TransactionDetailsContent, traitsText: [UInt8]? = nil) {
        self.init(
            key: TransactionKey(details.transactionId), version: TransactionVersion(details.version),
            start: details.purchaseDate ?? details.originalPurchaseDate ?? .earliest,
            expiresDate: details.expiresDate, revocationDate: details.revocationDate,
            traits: TransactionTraits(details, text: traitsText))
    }

    package var transactionId: TransactionId { key.id }
    package var productId: ProductId? { traits.productId }
    package var type: ProductType? { traits.type }
    package var quantity: Int32? { traits.quantity }
    package var inAppOwnershipType: InAppOwnershipType? { traits.inAppOwnershipType }
    /// Apple's `isUpgraded`. ``PurchaseFacts/isUpgraded(_:)`` also considers other transactions.
    package var isUpgraded: Bool { traits.isUpgraded }
    package var revocationPercentage: Int32? { traits.revocationPercentage }
    package var appAccountToken: AppAccountToken? { traits.appAccountToken }
    package var appTransactionId: AppTransactionId? { traits.appTransactionId }
    /// Whether seats were added to the period. Apple reports this in every transaction that adds seats, and also in the
    /// first transaction of the period if it is signed again afterward.
    package var hasAddedSeats: Bool { traits.hasAddedSeats }
    package var revokedSeatQuantity: Int32? { traits.revokedSeatQuantity }
    package var previousOriginalTransactionId: OriginalTransactionId? { traits.previousOriginalTransactionId }
    package var billingPlanType: BillingPlanType? { traits.billingPlanType }
    package var commitmentExpiresDate: AppStoreInstant? { traits.commitmentExpiresDate }
    /// Whether the transaction is one period of a commitment with monthly payments.
    var isCommitted: Bool { billingPlanType == .monthly }
    package var items: [TransactionTraits.Item] { traits.items }
    package var amountProblems: [TransactionTraits.AmountProblem] { traits.amountProblems }

    /// Whether the transaction is a period of an auto-renewable subscription.
    package var isAutoRenewable: Bool { traits.isAutoRenewable(hasExpiry: expiresDate != nil) }

    package func isRevoked(at instant: AppStoreInstant) -> Bool { revocationDate.map { $0 <= instant } ?? false }

    /// Whether the transaction's identifiers are within the length limit. See ``PurchaseFacts/hasBoundedIdentifiers``.
    var hasBoundedIdentifiers: Bool {
        key.isBounded && productId?.isBounded ?? true && previousOriginalTransactionId?.isBounded ?? true
    }

    /// The start, or the signedDate if there is no start.
    var beginning: AppStoreInstant { start == .earliest ? version.signedDate : start }

    /// Whether the transaction counts toward the ``FactsBounds/periods`` limit.
    var isPeriod: Bool { isAutoRenewable && !hasAddedSeats }

    /// Returns whether `one` precedes `other` in a purchase. Transactions are ordered by start, then by the text of the
    /// transactionId.
    static func isOrdered(_ one: TransactionFacts, _ other: TransactionFacts) -> Bool {
        one.start != other.start ? one.start < other.start : one.key < other.key
    }

    /// Returns whether `one` replaces `other`, that is, whether it has a newer version, or the same version and greater
    /// content.
    static func isNewer(_ one: TransactionFacts, than other: TransactionFacts) -> Bool {
        if one.version != other.version { return other.version < one.version }
        return one != other && other.orderedContent.lexicographicallyPrecedes(one.orderedContent)
    }

    private var orderedContent: [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.set("start", start)
            object.set("expiresDate", expiresDate)
            object.set("revocationDate", revocationDate)
            object.name("traits")
            object.text(traits.text)
        }
        return writer.bytes
    }
}

/// The version of a statement about a transaction. Versions are ordered like ``FactVersion``, but only the first eight
/// bytes of the notificationUUID are compared.
package struct TransactionVersion: Hashable, Comparable, Sendable {
    package let signedDate: AppStoreInstant
    package let isSigned: Bool
    /// The first eight bytes of the notificationUUID as a number, or 0 if there is no notification. The numbers sort in
    /// the same order as the bytes.
    let tieBreak: UInt64

    init(signedDate: AppStoreInstant, isSigned: Bool, tieBreak: UInt64) {
        self.signedDate = signedDate
        self.isSigned = isSigned
        self.tieBreak = tieBreak
    }

    package init(_ version: FactVersion) {
        var tieBreak = version.uuid?.prefix ?? 0
        // In the dense format, a number below 2^32 represents eight hexadecimal digits, so no tie break may be that
        // small. Only a string that begins with four zero bytes would produce one, and no UUID does.
        if tieBreak != 0, tieBreak >> 32 == 0 { tieBreak |= 1 << 32 }
        self.init(signedDate: version.signedDate, isSigned: version.isSigned, tieBreak: tieBreak)
    }

    package static func < (one: TransactionVersion, other: TransactionVersion) -> Bool {
        if one.isSigned != other.isSigned { return other.isSigned }
        if one.signedDate != other.signedDate { return one.signedDate < other.signedDate }
        return one.tieBreak < other.tieBreak
    }
}
