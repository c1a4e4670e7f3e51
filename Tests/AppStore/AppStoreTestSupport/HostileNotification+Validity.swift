internal import AppStoreSigning
internal import AppStoreVerification
internal import Cryptography

/// Check 11: rows H-77 to H-79.
extension HostileNotification {
    private static let now = SigningKit.now / 1000
    private static let hour: Int64 = 3600
    private static let year: Int64 = 365 * 24 * 3600

    package static let validity: [HostileNotification] = [
        leaf("H-77", "expired 47 hours ago", .retryLater(.certificateTime), now - year, now - 47 * hour),
        leaf("H-77", "expired exactly 48 hours ago", .retryLater(.certificateTime), now - year, now - 48 * hour),
        leaf(
            "H-77", "expired 48 hours and a second ago", .forbidden(.certificateTime), now - year, now - 48 * hour - 1),
        leaf("H-77", "expired a year ago", .forbidden(.certificateTime), now - 2 * year, now - year),
        leaf("H-79", "valid in 47 hours", .retryLater(.certificateTime), now + 47 * hour, now + year),
        leaf("H-79", "valid in 49 hours", .forbidden(.certificateTime), now + 49 * hour, now + year),
        leaf("H-77", "the last second", .accepted, now - year, now),
        leaf("H-77", "a second after the last", .retryLater(.certificateTime), now - year, now - 1),
        leaf("H-79", "the first second", .accepted, now, now + year),
        leaf("H-79", "a second before the first", .retryLater(.certificateTime), now + 1, now + year),
        HostileNotification(
            "H-77", "the intermediate expired an hour ago", .retryLater(.certificateTime),
            jws: { kit in
                try kit.jws(
                    intermediate: kit.intermediate {
                        $0.validity = CertificateValidity(notBefore: now - year, notAfter: now - hour)
                    })
            }),
        HostileNotification(
            "H-72", "expired an hour ago and signed by another key, so a retry is pointless", .forbidden(.signature),
            jws: { kit in
                let leaf = try kit.leaf {
                    $0.validity = CertificateValidity(notBefore: now - year, notAfter: now - hour)
                }
                return try kit.jws(
                    chain: [leaf.certificate, kit.pki.intermediate, kit.pki.root], key: .generate(.p256))
            }),
        HostileNotification(
            "H-78", "an expired leaf with a signedDate within its validity", .forbidden(.certificateTime),
            jws: { kit in
                let leaf = try kit.leaf {
                    $0.validity = CertificateValidity(notBefore: now - 3 * year, notAfter: now - year)
                }
                let draft = NotificationDraft.with {
                    $0.outer["signedDate"] = "\((now - 2 * year) * 1000)"
                }
                return try kit.sign(
                    try draft.payload(signingNestedWith: kit.sign),
                    header: JWSSigner.header(chain: [leaf.certificate, kit.pki.intermediate, kit.pki.root]),
                    key: leaf.key)
            }),
    ]

    private static func leaf(
        _ id: String, _ name: String, _ expected: ExpectedVerdict, _ notBefore: Int64, _ notAfter: Int64
    ) -> HostileNotification {
        HostileNotification(
            id, name, expected,
            jws: { kit in
                try kit.jws(
                    leaf: kit.leaf { $0.validity = CertificateValidity(notBefore: notBefore, notAfter: notAfter) })
            })
    }
}
