internal import AppStoreSigning
internal import Simulator

/// Probes that verify the same notifications with EVP alone and with a precomputed key table.
struct Probes: Sendable {
    let evp: VerificationProbe
    /// Nil if this libcrypto cannot create key tables.
    let tables: VerificationProbe?
    let whyNoTables: String?

    /// - Parameter now: the verifiers' current time, in milliseconds since 1970.
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
