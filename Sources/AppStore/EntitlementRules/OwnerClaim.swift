package import AppStoreModel
package import JSON

/// The app's claim that a purchase belongs to an account. The purchase was made without an appAccountToken, or was
/// transferred from the account in Apple's facts.
package struct OwnerClaim: VersionedFacts {
    package var version: FactVersion
    package var appAccountToken: AppAccountToken
    /// The previous owner if the claim is a transfer: either the account in Apple's facts, over which this claim takes
    /// precedence, or the account of an earlier claim. Nil if the purchase had no account.
    package var transferredFrom: AppAccountToken?
    package var unknownFields = JSONObject()

    package init(
        appAccountToken: AppAccountToken, claimedAt: AppStoreInstant, transferredFrom: AppAccountToken? = nil
    ) {
        version = FactVersion(signedDate: claimedAt)
        self.appAccountToken = appAccountToken
        self.transferredFrom = transferredFrom
    }

    func writeObject(to writer: inout JSONWriter) {
        writer.object { object in
            object.set("appAccountToken", appAccountToken)
            object.set("claimedAt", version.signedDate)
            object.set("transferredFrom", transferredFrom)
            object.add(unknownFields)
        }
    }

    init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let token: AppAccountToken = fields.identifier("appAccountToken"),
            let claimedAt = fields.instant("claimedAt")
        else { return nil }
        self.init(
            appAccountToken: token, claimedAt: claimedAt, transferredFrom: fields.identifier("transferredFrom"))
        unknownFields = FactsBounds.members(fields.unknownFields)
    }
}
