import AppStoreModel
import AppStoreSigning
import AppStoreVerification
import Records

extension FuzzTarget {
    /// Verifies an arbitrary payload signed by the authority. It may be for another app or nonconforming, but it is
    /// never rejected as not signed by Apple, and never answered with a status that makes Apple retry. Consumers can
    /// parse the records of accepted payloads.
    static func signedPayload(_ material: SignedMaterial) throws -> FuzzTarget {
        let verifier = try material.verifier()
        let signer = JWSSigner(material.pki)
        return FuzzTarget(
            "signed-payload", seeds: Array(material.payloads.prefix(8)), tokens: PayloadTokens.all,
            maximumBytes: 32 * 1024
        ) { bytes throws(Violation) in
            // An empty segment does not form a compact JWS, so it is rejected before the signature is verified.
            guard !bytes.isEmpty else { return }
            guard let jws = try? signer.sign(bytes) else { throw Violation("not signed") }
            switch verifier.verify(signedPayload: jws, at: SignedMaterial.now) {
            case .accepted(let notification):
                try hold(notification.notification == bytes, "another payload")
                try checkRecord(of: notification)
            case .nonconforming, .notForUs: return
            case .notApple(let refusal): throw Violation("not Apple's: \(refusal.reason)")
            case .retryLater(let refusal): throw Violation("retry later: \(refusal.reason)")
            case .legacy, .duplicate: throw Violation("neither accepted nor nonconforming")
            }
        }
    }

    private static func checkRecord(of notification: VerifiedNotification) throws(Violation) {
        let read = try RebuildCheck.check(notification)
        let uuid = notification.envelope.notificationUUID.value
        try hold(read.notificationUUID == uuid, "another notificationUUID")
        try hold(read.notification.notificationUUID == uuid, "another notificationUUID inside")
    }
}

/// Tokens that occur in payloads.
enum PayloadTokens {
    static let all = [
        #""notificationType":"#, #""subtype":"UPGRADE""#, #""notificationUUID":"#, #""signedDate":9007199254740993"#,
        #""signedDate":1.5e12"#, #""signedDate":-1"#, #""data":{"#, #""summary":{"#, #""appData":{"#, #""status":5"#,
        #""signedTransactionInfo":"#, #""signedRenewalInfo":"#, #""environment":"Sandbox""#, #""version":"2.0""#,
        #""price":9223372036854775807"#, #""quantity":2147483648"#, #""purchaseDate":253402300799999"#,
        #""expiresDate":-62167219200000"#, #""revocationDate":0"#, #""gracePeriodExpiresDate":253402300800000"#,
        #""isUpgraded":true"#, #""revocationPercentage":100000"#, #""type":"Consumable""#, "null", "1e400", "-0.1",
        #""inAppOwnershipType":"FAMILY_SHARED""#, #""facts":{"#, #""formatVersion":2"#, #""transactions":""#, "\\u0000",
    ]
}
