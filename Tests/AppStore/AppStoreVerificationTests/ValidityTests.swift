import AppStoreSigning
import Cryptography
import Testing

@testable import AppStoreVerification

/// Check 10: rows H-77 to H-79, and that it is judged after the signature.
@Suite struct ValidityTests {
    private static let now = SigningKit.now / 1000
    private static let hour: Int64 = 3600
    private static let year: Int64 = 365 * 24 * 3600

    @Test(arguments: rows)
    func `certificates are judged at the present`(_ row: HostileInput) throws {
        try row.check()
    }

    static let rows: [HostileInput] = [
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
        HostileInput(
            "H-77", "the intermediate expired an hour ago", .retryLater(.certificateTime),
            jws: { kit in
                try kit.jws(
                    intermediate: kit.intermediate {
                        $0.validity = CertificateValidity(notBefore: now - year, notAfter: now - hour)
                    })
            }),
        HostileInput(
            "2.4", "expired an hour ago, and another key signed: nobody is told to try again", .forbidden(.signature),
            jws: { kit in
                let leaf = try kit.leaf {
                    $0.validity = CertificateValidity(notBefore: now - year, notAfter: now - hour)
                }
                return try kit.jws(
                    chain: [leaf.certificate, kit.pki.intermediate, kit.pki.root], key: .generate(.p256))
            }),
        HostileInput(
            "H-78", "an expired leaf with a signedDate from its time", .forbidden(.certificateTime),
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
    ) -> HostileInput {
        HostileInput(
            id, name, expected,
            jws: { kit in
                try kit.jws(
                    leaf: kit.leaf { $0.validity = CertificateValidity(notBefore: notBefore, notAfter: notAfter) })
            })
    }

    @Test func `a refusal says by how many seconds`() throws {
        let kit = try SigningKit.shared()
        let body = try kit.body(.test)
        let end = try #require(kit.pki.leaf.validity).notAfter
        let verdict = try kit.verifier().verify(body: body, at: (end + 100) * 1000 + 999)
        guard case .retryLater(let refusal) = verdict else {
            Issue.record("not a retry: \(verdict)")
            return
        }
        #expect(refusal.secondsOutsideValidity == 100)
        #expect(refusal.step == .validity)
        #expect(refusal.certificates?.leaf == kit.pki.leaf.serialNumber)
    }

    @Test(arguments: [Int64.min, -1, 0, Int64.max])
    func `no clock traps`(_ now: Int64) throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        #expect(ExpectedVerdict(verifier.verify(body: try kit.body(), at: SigningKit.now)) == .accepted)
        let verdict = verifier.verify(body: try kit.body(), at: now)
        #expect(ExpectedVerdict(verdict) == .forbidden(.certificateTime))
    }
}
