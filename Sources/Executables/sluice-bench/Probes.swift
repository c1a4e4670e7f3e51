internal import AppStoreSigning
internal import Simulator

/// The same notifications by EVP alone, and with a table of the key.
struct Probes: Sendable {
    let evp: VerificationProbe
    /// Nil where this libcrypto makes no tables.
    let tables: VerificationProbe?
    let whyNoTables: String?

    /// - Parameter now: the verifiers' present, in milliseconds since 1970.
    init(bodies: [[UInt8]], pki: TestCertificateAuthority, app: SimulatedApp, at now: Int64) throws {
        evp = try VerificationProbe(bodies: bodies, pki: pki, app: app, at: now)
        do {
            tables = try VerificationProbe(bodies: bodies, pki: pki, app: app, at: now, usesTables: true)
            whyNoTables = nil
        } catch {
            tables = nil
            whyNoTables = "\(error)"
        }
    }
}
