import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// Row H-82 for each extension that constrains a path. None of them is evaluated, so all are rejected, critical or not.
@Suite struct CertificateExtensionTests {
    private static let policyConstraints = CertificateExtension(
        OID("2.5.29.36"), der: DER.sequence([0x80, 0x01, 0x05]))
    private static let policyMappings = CertificateExtension(
        OID("2.5.29.33"), der: DER.sequence(DER.sequence([0x06, 0x02, 0x2A, 0x03], [0x06, 0x02, 0x2A, 0x04])))
    private static let inhibitAnyPolicy = CertificateExtension(OID("2.5.29.54"), der: [0x02, 0x01, 0x05])

    @Test(arguments: [
        ("policy constraints", policyConstraints), ("policy mappings", policyMappings),
        ("inhibit any policy", inhibitAnyPolicy),
    ])
    func `an intermediate that constrains the path is rejected`(_ name: String, _ constraint: CertificateExtension)
        throws
    {
        let row = HostileNotification(
            "H-82", name, .forbidden(.certificateExtension),
            jws: { kit in try kit.jws(intermediate: kit.intermediate { $0.extensions.append(constraint) }) })
        try row.check()
    }

    @Test(arguments: [
        ("policy constraints", policyConstraints), ("policy mappings", policyMappings),
        ("inhibit any policy", inhibitAnyPolicy),
    ])
    func `a leaf that constrains the path is rejected`(_ name: String, _ constraint: CertificateExtension) throws {
        let row = HostileNotification(
            "H-82", name, .forbidden(.certificateExtension),
            jws: { kit in try kit.jws(leaf: kit.leaf { $0.extensions.append(constraint) }) })
        try row.check()
    }

    @Test func `a leaf of version 2 is rejected`() throws {
        let row = HostileNotification(
            "H-82", "version 2", .forbidden(.certificateExtension),
            jws: { kit in try kit.jws(leaf: kit.leaf { $0.version = 2 }) })
        try row.check()
    }

    @Test func `an intermediate with a repeated Apple extension is rejected`() throws {
        let row = HostileNotification(
            "H-74", "the marker twice", .forbidden(.intermediateMarker),
            jws: { kit in
                try kit.jws(
                    intermediate: kit.intermediate {
                        $0.extensions.append(.marker(TestCertificateAuthority.intermediateMarker))
                    })
            })
        try row.check()
    }
}
