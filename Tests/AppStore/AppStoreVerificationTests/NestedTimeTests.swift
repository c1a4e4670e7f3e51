import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// Time checks for nested objects. Here, too, temporary failures cause a retry.
@Suite struct NestedTimeTests {
    private static let hour: Int64 = 3600
    private static let now = SigningKit.now / 1000

    @Test(
        arguments: [
            (1, ExpectedVerdict.retryLater(.certificateTime)), (48, .retryLater(.certificateTime)),
            (49, .nonconforming(.profileNested)),
        ] as [(Int64, ExpectedVerdict)])
    func `a nested object under an expired leaf is retried for 48 hours after the expiry`(
        _ hours: Int64, _ expected: ExpectedVerdict
    ) throws {
        let row = HostileNotification(
            "H-111", "expired \(hours) hours ago", expected,
            jws: { kit in
                let leaf = try kit.leaf {
                    $0.validity = CertificateValidity(
                        notBefore: Self.now - 1000 * Self.hour, notAfter: Self.now - hours * Self.hour)
                }
                let header = JWSSigner.header(chain: [leaf.certificate, kit.pki.intermediate, kit.pki.root])
                let payload = try NotificationDraft().payload { try kit.sign($0, header: header, key: leaf.key) }
                return try kit.sign(payload)
            })
        try row.check()
    }

    @Test func `a nested signedDate more than a day ahead indicates a wrong clock`() throws {
        let date = "\(SigningKit.now + 25 * 3_600_000)"
        try HostileNotification("H-112", "transaction", .retryLater(.clock)) {
            $0.transaction?["signedDate"] = date
        }.check()
        try HostileNotification("H-112", "renewal info", .retryLater(.clock)) {
            $0.renewalInfo?["signedDate"] = date
        }.check()
    }

    @Test(arguments: ["0", "\"yesterday\"", "-1"])
    func `a nested signedDate must be within the App Store's lifetime`(_ date: String) throws {
        try HostileNotification("H-110", "transaction \(date)", .nonconforming(.profileDate)) {
            $0.transaction?["signedDate"] = date
        }.check()
        try HostileNotification("H-110", "renewal info \(date)", .nonconforming(.profileDate)) {
            $0.renewalInfo?["signedDate"] = date
        }.check()
    }
}
