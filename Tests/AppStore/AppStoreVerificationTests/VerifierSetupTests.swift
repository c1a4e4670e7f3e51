import AppStoreModel
import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// Configurations with which a verifier refuses to start.
@Suite struct VerifierSetupTests {
    @Test func `the built-in root is Apple's`() throws {
        try initializeCryptography()
        #expect(SHA256.digest(of: AppleRootCertificate.g3).hex == AppleRootCertificate.g3Fingerprint)
        let root = try Certificate(der: AppleRootCertificate.g3)
        #expect(root.subject.contains("CN=Apple Root CA - G3"))
        _ = try NotificationVerifier(VerifierConfiguration(apps: [SigningKit.app], revocation: .off))
    }

    @Test func `an unusable root is rejected at startup`() throws {
        let kit = try SigningKit.shared()
        let bad: [[[UInt8]]] = [
            [], [[]], [[1, 2, 3]], [kit.pki.root.der + [0]], [kit.pki.intermediate.der],
            [kit.pki.root.der, [0x30, 0x00]],
            [kit.pki.root.der.dropLast() + [kit.pki.root.der.last.map { $0 ^ 1 } ?? 0]],
        ]
        for roots in bad {
            #expect(Self.code { try kit.verifier { $0.roots = roots } } == .root)
        }
    }

    @Test func `apps and environments for which Apple does not sign are rejected at startup`() throws {
        let kit = try SigningKit.shared()
        let bad: [[AppIdentity]] = [
            [], [SigningKit.app, SigningKit.app], [app([])], [app([.xcode])], [app([.production, .localTesting])],
        ]
        for apps in bad {
            #expect(Self.code { try kit.verifier { $0.apps = apps } } == .apps)
        }
    }

    @Test func `settings that cannot work are rejected at startup`() throws {
        let kit = try SigningKit.shared()
        #expect(Self.code { try kit.verifier { $0.revocation = .strict } } == .settings)
        #expect(Self.code { try kit.verifier { $0.revocation = .soft } } == .settings)
        #expect(
            Self.code { try kit.verifier { $0.newCertificateChains = NewCertificateChainLimits(perSecond: 0) } }
                == .settings)
        #expect(
            Self.code { try kit.verifier { $0.newCertificateChains = NewCertificateChainLimits(concurrency: -1) } }
                == .settings)
    }

    @Test func `the reason codes are fixed, because logs and records contain them`() {
        #expect(
            Reason.allCases.map(\.rawValue) == [
                "empty", "json", "json_shape", "json_dup", "too_large", "jws_form", "jws_b64", "jws_header", "alg",
                "jws_sig_len",
                "x5c_form", "x5c_der", "chain_root", "chain_sig", "leaf_marker", "inter_marker", "not_ca", "cert_ext",
                "leaf_key", "new_chains", "signature", "cert_time", "revoked", "clock", "ocsp_unknown", "audience",
                "sandbox",
                "type_confusion",
                "profile_audience", "profile_crit", "profile_chain", "profile_type", "profile_uuid", "profile_version",
                "profile_nested",
                "profile_number", "profile_date", "profile_container", "profile_encoding", "profile_dup",
                "profile_text",
                "internal",
            ])
    }

    private func app(_ environments: Set<AppStoreEnvironment>) -> AppIdentity {
        AppIdentity(
            bundleId: BundleId(SigningKit.bundleId), appAppleId: AppAppleId(SigningKit.appAppleId),
            environments: environments)
    }

    private static func code(_ make: () throws -> NotificationVerifier) -> VerifierSetupError.Code? {
        do {
            _ = try make()
            return nil
        } catch {
            return (error as? VerifierSetupError)?.code
        }
    }
}
