internal import AppStoreModel
internal import Cryptography

extension VerifierConfiguration {
    /// - Throws: ``VerifierSetupError`` for a configuration that cannot work or must not.
    func validate(requester: (any OCSPRequester)?) throws(VerifierSetupError) {
        guard !apps.isEmpty else {
            throw VerifierSetupError(code: .apps, message: "no app is configured: set apps to bundle id and Apple's id")
        }
        var seen: Set<String> = []
        for app in apps {
            guard seen.insert(app.bundleId.rawValue).inserted else {
                throw VerifierSetupError(code: .apps, message: "the app \(app.bundleId) is configured twice")
            }
            // Xcode and LocalTesting data is signed by anybody.
            guard !app.environments.isEmpty, app.environments.isSubset(of: [.production, .sandbox]) else {
                throw VerifierSetupError(
                    code: .apps,
                    message: "the app \(app.bundleId) may have the environments Production and Sandbox only")
            }
        }
        guard revocation == .off || requester != nil else {
            throw VerifierSetupError(
                code: .settings,
                message: "revocation \(revocation.rawValue) needs an OCSP requester; use off without one")
        }
        guard (1...100_000).contains(newCertificateChains.perSecond),
            (1...1000).contains(newCertificateChains.concurrency)
        else {
            throw VerifierSetupError(
                code: .settings, message: "new chains: 1 to 100000 a second, 1 to 1000 at the same time")
        }
    }

    /// The pinned roots, each checked by its own signature: that is also a test of this machine's OpenSSL.
    func trustStore() throws(VerifierSetupError) -> TrustStore {
        guard SHA256.digest(of: AppleRootCertificate.g3).hex == AppleRootCertificate.g3Fingerprint else {
            throw VerifierSetupError(
                code: .root, message: "the built-in Apple root does not have its published fingerprint")
        }
        do throws(CryptographyError) {
            var certificates: [Certificate] = []
            for root in roots { certificates.append(try Certificate(der: root)) }
            return try TrustStore(roots: certificates)
        } catch {
            throw VerifierSetupError(code: .root, message: "root.certificates: \(error.message)")
        }
    }
}
