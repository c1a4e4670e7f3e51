package import AppStoreModel
internal import JSON

/// What is kept of the statement that Apple made last about one transaction: what answers and merges need of it.
///
/// A newer statement replaces it as a whole, so that a revocation which is absent from a newer one is thereby removed:
/// that is how a reversed refund arrives.
package struct TransactionFacts: Hashable, Sendable {
    let key: TransactionKey
    package let version: TransactionVersion
    /// When the holder got it; the original transaction where only that is known.
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

    /// - Parameter traitsText: the text of its traits, where that is at hand.
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
    /// As Apple states it; see ``PurchaseFacts/isUpgraded(_:)`` for what follows from other transactions.
    package var isUpgraded: Bool { traits.isUpgraded }
    package var revocationPercentage: Int32? { traits.revocationPercentage }
    package var appAccountToken: AppAccountToken? { traits.appAccountToken }
    package var appTransactionId: AppTransactionId? { traits.appTransactionId }
    /// Seats were added to the period: Apple marks each of its transactions, the first one too once it is signed again.
    package var hasAddedSeats: Bool { traits.hasAddedSeats }
    package var revokedSeatQuantity: Int32? { traits.revokedSeatQuantity }
    package var previousOriginalTransactionId: OriginalTransactionId? { traits.previousOriginalTransactionId }
    package var billingPlanType: BillingPlanType? { traits.billingPlanType }
    package var commitmentExpiresDate: AppStoreInstant? { traits.commitmentExpiresDate }
    /// Whether it is one period of a commitment that is paid by the month.
    var isCommitted: Bool { billingPlanType == .monthly }
    package var items: [TransactionTraits.Item] { traits.items }
    package var amountProblems: [TransactionTraits.AmountProblem] { traits.amountProblems }

    /// Whether it is a period of a subscription that renews by itself.
    package var isAutoRenewable: Bool { traits.isAutoRenewable(hasExpiry: expiresDate != nil) }

    package func isRevoked(at instant: AppStoreInstant) -> Bool { revocationDate.map { $0 <= instant } ?? false }

    /// As ``PurchaseFacts/hasBoundedIdentifiers``.
    var hasBoundedIdentifiers: Bool {
        key.isBounded && productId?.isBounded ?? true && previousOriginalTransactionId?.isBounded ?? true
    }

    /// The start, or when it was signed where none is known.
    var beginning: AppStoreInstant { start == .earliest ? version.signedDate : start }

    /// Whether it is a period of its own, so far as is known: see ``FactsBounds/periods``.
    var isPeriod: Bool { isAutoRenewable && !hasAddedSeats }

    /// The order of a purchase's transactions: by start, then by the text of the transactionId.
    static func isOrdered(_ one: TransactionFacts, _ other: TransactionFacts) -> Bool {
        one.start != other.start ? one.start < other.start : one.key < other.key
    }

    /// Which of two statements about one transaction is kept: the newer version; of equal ones the greater content.
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

/// Which of two statements about a transaction is the newer one, as ``FactVersion`` has it, but with the first eight
/// bytes of the notificationUUID for the whole text.
package struct TransactionVersion: Hashable, Comparable, Sendable {
    package let signedDate: AppStoreInstant
    package let isSigned: Bool
    /// The bytes as one number, so that numbers are ordered as texts are; 0 without a notification.
    let tieBreak: UInt64

    init(signedDate: AppStoreInstant, isSigned: Bool, tieBreak: UInt64) {
        self.signedDate = signedDate
        self.isSigned = isSigned
        self.tieBreak = tieBreak
    }

    package init(_ version: FactVersion) {
        var tieBreak = version.uuid?.prefix ?? 0
        // Numbers of 32 bits are how eight hexadecimal digits are written; no UUID begins with four zero bytes.
        if tieBreak != 0, tieBreak >> 32 == 0 { tieBreak |= 1 << 32 }
        self.init(signedDate: version.signedDate, isSigned: version.isSigned, tieBreak: tieBreak)
    }

    package static func < (one: TransactionVersion, other: TransactionVersion) -> Bool {
        if one.isSigned != other.isSigned { return other.isSigned }
        if one.signedDate != other.signedDate { return one.signedDate < other.signedDate }
        return one.tieBreak < other.tieBreak
    }
}
