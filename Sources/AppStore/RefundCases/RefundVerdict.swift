package import AppStoreModel
package import JSON

/// A decision of Apple, or of the customer's bank, about a transaction. It ends the round of requests before it.
package struct RefundVerdict: DatedPart {
    package var kind: RefundCaseOutcome
    /// When Apple signed it.
    package var signedDate: AppStoreInstant
    /// False for what only a shared secret vouched for (version 1); it never replaces what was signed.
    package var isSigned: Bool
    package var revocationDate: AppStoreInstant?
    package var revocationReason: RevocationReason?
    package var revocationType: RevocationType?
    /// Milliunits of a percent.
    package var revocationPercentage: Int32?
    /// The rest of the period was refunded because the customer upgraded: no refund that the customer asked for.
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

    /// Whether a REFUND with this transaction is a decision about a refund. One of seats has no revocationDate; a family
    /// or an organization that takes access away, and a switch to a bundle (a reason that is not known yet), refund nothing
    /// (app-store.md 3.10, 3.13, 10.5).
    static func isRefund(_ transaction: TransactionPayload) -> Bool {
        transaction.revocationDate != nil
            && transaction.revocationType != .familyRevoke && transaction.revocationType != .assignmentRevoke
            && transaction.revocationReason?.isKnown ?? true
    }

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

    /// Reads a verdict whose kind is known.
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
