/// An issuer and one of its In-App Purchase keys from App Store Connect. The key itself remains in its file.
package struct APICredentials: Sendable, Hashable {
    /// The issuer ID, a UUID (App Store Connect: Users and Access, Integrations, In-App Purchase).
    package var issuerId: String
    /// The key ID, ten letters and digits. If the file has a name assigned by Apple, such as
    /// `SubscriptionKey_2X9R4HXF34.p8`, the ID in the name is used instead.
    package var keyId: String
    /// The path of the `.p8` file, which contains a P-256 key as PKCS#8 in PEM.
    package var keyFile: String

    package init(issuerId: String, keyId: String, keyFile: String) {
        self.issuerId = issuerId
        self.keyId = keyId
        self.keyFile = keyFile
    }
}
