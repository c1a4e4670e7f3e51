internal import AppStoreSigning
internal import CommandLine
internal import FoundationEssentials
internal import Lifecycle

/// `sluice-simulator pki`: creates the certificates, or shows existing ones.
struct PKICommand {
    let directory: String

    func run(_ console: Console) async throws -> ExitCode {
        let isNew = try make()
        await console.print(
            """
            \(isNew ? "Created" : "Kept") the test certificates in \(directory).
            To trust them (never in production), set

              root.certificates=\(directory)/root.pem
              revocation=off

            For the simulated App Store Server API (sluice-simulator serve --help), set

              appstore.api.issuer.id=\(SimulatedAPIKey.issuerId)
              appstore.api.key.id=\(SimulatedAPIKey.keyId)
              appstore.api.key.file=\(directory)/\(SimulatedAPIKey.fileName)
              appstore.api.url=http://127.0.0.1:PORT
            """)
        return .ok
    }

    /// Creates the certificates unless they already exist.
    ///
    /// - Returns: whether the certificates are new.
    func make() throws -> Bool {
        if FileManager.default.fileExists(atPath: directory + "/root.pem") {
            _ = try TestCertificateAuthority.load(from: directory)
            _ = try SimulatedAPIKey.make(in: directory)
            return false
        }
        let now = Int64(Date().timeIntervalSince1970)
        try TestCertificateAuthority(TestCertificateAuthority.Options(now: now)).save(to: directory)
        _ = try SimulatedAPIKey.make(in: directory)
        return true
    }

    /// Loads the certificates that this command created in a directory.
    static func load(_ directory: String) throws -> TestCertificateAuthority {
        guard FileManager.default.fileExists(atPath: directory + "/root.pem") else {
            throw SimulatorError(
                description:
                    "\(directory) contains no certificates; create them with: sluice-simulator pki --out \(directory)")
        }
        return try TestCertificateAuthority.load(from: directory)
    }
}
