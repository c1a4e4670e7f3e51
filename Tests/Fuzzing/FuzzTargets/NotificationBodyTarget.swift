import AppStoreVerification

extension FuzzTarget {
    /// Verifies a request body with the complete verifier. The body is accepted only if this authority signed its
    /// notification.
    static func notificationBody(_ material: SignedMaterial) throws -> FuzzTarget {
        let judge = try MutantJudge(
            verifier: try material.verifier(), originals: material.bodies, at: SignedMaterial.now)
        return FuzzTarget(
            "notification-body", seeds: Array(material.bodies.prefix(4)),
            tokens: [#"{"signedPayload":""#, #""}"#, ".", "=", "\\u002e", #""notification_type":"x","#, #""x5c":["#],
            maximumBytes: 64 * 1024
        ) { bytes throws(Violation) in
            _ = try judge.judge(bytes)
        }
    }
}
