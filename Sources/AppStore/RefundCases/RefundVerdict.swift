package import AppStoreModel
internal import JSON

/// What Apple, or the customer's bank, decided in the end.
package struct RefundVerdict: RefundStatement {
    /// When Apple signed it.
    package var signedDate: AppStoreInstant
    /// False for what only a shared secret vouched for (version 1); it never replaces what was signed.
    package var isSigned: Bool
    package var revocationDate: AppStoreInstant?
    package var revocationReason: RevocationReason?
    package var revocationType: RevocationType?
    /// Milliunits of a percent.
    package var revocationPercentage: Int32?

    package init(signedDate: AppStoreInstant, transaction: TransactionPayload? = nil, isSigned: Bool = true) {
        self.signedDate = signedDate
        self.isSigned = isSigned
        revocationDate = transaction?.revocationDate
        revocationReason = transaction?.revocationReason
        revocationType = transaction?.revocationType
        revocationPercentage = transaction?.revocationPercentage
    }

    var rank: [Int64] { [isSigned ? 1 : 0, signedDate.millisecondsSince1970] }

    func write(to object: inout JSONWriter) {
        object.set("signedDate", signedDate)
        if !isSigned { object.set("trust", RefundCase.sharedSecret) }
        object.set("revocationDate", revocationDate)
        object.set("revocationReason", revocationReason?.rawValue)
        object.set("revocationType", revocationType?.rawValue)
        object.set("revocationPercentage", revocationPercentage)
    }

    init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let signedDate = fields.instant("signedDate") else { return nil }
        self.signedDate = signedDate
        isSigned = fields.string("trust") != RefundCase.sharedSecret
        revocationDate = fields.instant("revocationDate")
        revocationReason = fields.enumeration("revocationReason")
        revocationType = fields.enumeration("revocationType")
        revocationPercentage = fields.int32("revocationPercentage")
    }
}
