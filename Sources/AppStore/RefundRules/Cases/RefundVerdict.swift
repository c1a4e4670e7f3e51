package import AppStoreModel
package import JSON

/// A decision by Apple or the customer's bank on a transaction. It ends the preceding round of requests.
package struct RefundVerdict: DatedPart {
    package var kind: RefundCaseOutcome
    /// The time when Apple signed the decision.
    package var signedDate: AppStoreInstant
    /// Whether Apple signed the decision. If false, it is authenticated only by a shared secret (version 1) and never
    /// replaces a signed one.
    package var isSigned: Bool
    package var revocationDate: AppStoreInstant?
    package var revocationReason: RevocationReason?
    package var revocationType: RevocationType?
    /// The refunded share in thousandths of a percent.
    package var revocationPercentage: Int32?
    /// Whether the rest of the period was refunded because of an upgrade rather than at the customer's request.
    package var isUpgrade: Bool

    package init(
        _ kind: RefundCaseOutcome, signedDate: AppStoreInstant, transaction: TransactionPayload? = nil,
        isSigned: Bool = true
    ) {
        self.kind = kind
        self.signedDate = signedDate
        self.isSigned = isSigned
        revocationDate = transaction?.revocationDate
        revocationReason = transaction?.revocationReason
        revocationType = transaction?.revocationType
        revocationPercentage = transaction?.revocationPercentage
        isUpgrade = transaction?.isUpgraded ?? false
    }

    /// Returns whether a REFUND with this transaction is a decision on a refund. A seat refund has no revocationDate.
    /// If a family or an organization removes access, or the customer switches to a bundle (reported with an
    /// undocumented revocationReason), nothing is refunded (app-store.md 3.10, 3.13, 10.5).
    static func isRefund(_ transaction: TransactionPayload) -> Bool {
        transaction.revocationDate != nil
            && transaction.revocationType != .familyRevoke && transaction.revocationType != .assignmentRevoke
            && transaction.revocationReason?.isKnown ?? true
    }

    /// Whether the text meets the requirements of ``BoundedText``.
    var isBounded: Bool { revocationType.map { BoundedText.accepts($0.rawValue) } ?? true }

    package var date: AppStoreInstant { signedDate }
    package var rank: [Int64] { [isSigned ? 1 : 0, kind.order] }

    package func write(to object: inout JSONWriter) {
        object.set("kind", kind.rawValue)
        object.set("signedDate", signedDate)
        if !isSigned { object.set("trust", RefundCase.sharedSecret) }
        object.set("revocationDate", revocationDate)
        object.set("revocationReason", revocationReason?.rawValue)
        object.set("revocationType", revocationType?.rawValue)
        object.set("revocationPercentage", revocationPercentage)
        if isUpgrade { object.set("isUpgraded", true) }
    }

    package init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let kind = fields.string("kind").flatMap(RefundCaseOutcome.init(rawValue:)) else { return nil }
        self.init(kind, &fields)
    }

    /// Parses a verdict of a known kind.
    init?(_ kind: RefundCaseOutcome, _ fields: inout FieldReader) {
        guard let signedDate = fields.instant("signedDate") else { return nil }
        self.kind = kind
        self.signedDate = signedDate
        isSigned = fields.string("trust") != RefundCase.sharedSecret
        revocationDate = fields.instant("revocationDate")
        revocationReason = fields.enumeration("revocationReason")
        revocationType = fields.enumeration("revocationType")
        revocationPercentage = fields.int32("revocationPercentage")
        isUpgrade = fields.bool("isUpgraded") ?? false
    }
}
