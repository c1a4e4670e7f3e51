package import AppStoreModel
package import JSON

/// The app's own word that a purchase belongs to an account, for purchases made without an appAccountToken.
package struct OwnerClaim: VersionedFacts {
    package var version: FactVersion
    package var appAccountToken: AppAccountToken
    package var unknownFields = JSONObject()

    package init(appAccountToken: AppAccountToken, claimedAt: AppStoreInstant) {
        version = FactVersion(signedDate: claimedAt)
        self.appAccountToken = appAccountToken
    }

    func writeObject(to writer: inout JSONWriter) {
        writer.object { object in
            object.set("appAccountToken", appAccountToken)
            object.set("claimedAt", version.signedDate)
            object.add(unknownFields)
        }
    }

    init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let token: AppAccountToken = fields.identifier("appAccountToken"),
            let claimedAt = fields.instant("claimedAt")
        else { return nil }
        self.init(appAccountToken: token, claimedAt: claimedAt)
        unknownFields = FactsBounds.members(fields.unknownFields)
    }
}
