package import AppStoreModel
internal import JSON

/// What Apple, or the customer's bank, decided in the end.
package struct RefundVerdict: RefundStatement {
    /// When Apple signed it.
    package var signedDate: AppStoreInstant
    package var revocationDate: AppStoreInstant?
    package var revocationReason: RevocationReason?
    package var revocationType: RevocationType?
    /// Milliunits of a percent.
    package var revocationPercentage: Int32?

    package init(signedDate: AppStoreInstant, transaction: TransactionPayload? = nil) {
        self.signedDate = signedDate
        revocationDate = transaction?.revocationDate
        revocationReason = transaction?.revocationReason
        revocationType = transaction?.revocationType
        revocationPercentage = transaction?.revocationPercentage
    }

    var rank: [Int64] { [signedDate.millisecondsSince1970] }

    func write(to object: inout JSONWriter) {
        object.set("signedDate", signedDate)
        object.set("revocationDate", revocationDate)
        object.set("revocationReason", revocationReason?.rawValue)
        object.set("revocationType", revocationType?.rawValue)
        object.set("revocationPercentage", revocationPercentage)
    }

    init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let signedDate = fields.instant("signedDate") else { return nil }
        self.signedDate = signedDate
        revocationDate = fields.instant("revocationDate")
        revocationReason = fields.enumeration("revocationReason")
        revocationType = fields.enumeration("revocationType")
        revocationPercentage = fields.int32("revocationPercentage")
    }
}
