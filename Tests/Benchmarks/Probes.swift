internal import AppStoreSigning
internal import Simulator

/// Probes that verify the same notifications, one with EVP only and one with a precomputed key table.
struct Probes: Sendable {
    let evp: VerificationProbe
    /// The probe with key tables, or nil if this libcrypto cannot create them.
    let tables: VerificationProbe?
    let whyNoTables: String?

    /// - Parameter now: the current time for the verifiers, in milliseconds since 1970.
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
