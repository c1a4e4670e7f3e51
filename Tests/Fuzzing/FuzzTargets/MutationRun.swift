import AppStoreModel
import AppStoreSigning
package import AppStoreVerification
import Cryptography
package import TestSupport

/// Verifies mutants of the originals with and without precomputed key tables, compares the results, and counts them.
package struct MutationRun: Sendable {
    package struct Finding: Sendable {
        package let index: Int
        package let kind: NotificationMutator.Kind
        package let violation: Violation
        package let body: [UInt8]
    }

    private let mutator: NotificationMutator
    private let judge: MutantJudge
    private let tabled: MutantJudge
    private let verifierWithTables: NotificationVerifier
    package private(set) var outcomes: [String: Int] = [:]
    package private(set) var kinds: [NotificationMutator.Kind: Int] = [:]
    package private(set) var findings: [Finding] = []

    /// Creates a run with notifications signed by a test certificate authority.
    package init(_ material: SignedMaterial, seed: UInt64) throws {
        mutator = try NotificationMutator(originals: material.bodies, seed: seed)
        judge = try MutantJudge(
            verifier: try material.verifier(), originals: material.bodies, at: SignedMaterial.now)
        verifierWithTables = try material.verifier(tables: Self.tables)
        tabled = try MutantJudge(
            verifier: verifierWithTables, originals: material.bodies, at: SignedMaterial.now)
    }

    /// Creates a run with notifications signed by Apple.
    package init(_ samples: [AppleSample], seed: UInt64) throws {
        try initializeCryptography()
        var environments: [BundleId: Set<AppStoreEnvironment>] = [:]
        var ids: [BundleId: AppAppleId] = [:]
        for notification in samples {
            let bundleId = BundleId(notification.facts.bundleId)
            environments[bundleId, default: []].insert(AppStoreEnvironment(notification.facts.environment))
            ids[bundleId] = AppAppleId(notification.facts.appAppleId)
        }
        let apps = ids.map { AppIdentity(bundleId: $0, appAppleId: $1, environments: environments[$0] ?? []) }
        let roots = [AppleRootCertificate.g3]
        let bodies = samples.map(\.body)
        mutator = try NotificationMutator(originals: bodies, seed: seed)
        let now = samples.map(\.facts.signedDate).max() ?? 0
        judge = try MutantJudge(
            verifier: try NotificationVerifier(SignedMaterial.configuration(roots: roots, apps: apps)),
            originals: bodies, at: now)
        verifierWithTables = try NotificationVerifier(
            SignedMaterial.configuration(roots: roots, apps: apps, tables: Self.tables))
        tabled = try MutantJudge(verifier: verifierWithTables, originals: bodies, at: now)
    }

    /// Almost disables the recheck of accepted signatures, so that the comparison uses the tables' own results.
    private static let tables = FixedKeyTables(isOn: true, recheckedOneIn: 1_000_000)

    /// The tables are computed on a separate thread. Until one is in use, EVP is compared with itself.
    package var tableStatus: FixedKeyStatus { verifierWithTables.tableStatus }

    /// Verifies the mutants with these indices.
    package mutating func run(_ indices: Range<Int>) {
        for index in indices {
            let (kind, body) = mutator.mutant(index)
            kinds[kind, default: 0] += 1
            do throws(Violation) {
                let outcome = try judge.judge(body)
                outcomes[outcome, default: 0] += 1
                let other = try tabled.judge(body)
                try hold(other == outcome, "\(outcome), but with tables \(other)")
            } catch {
                outcomes["VIOLATION", default: 0] += 1
                findings.append(Finding(index: index, kind: kind, violation: error, body: body))
            }
        }
    }
}
