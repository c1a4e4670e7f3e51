import AppStoreModel
package import AppStoreSigning
package import AppStoreVerification
import Cryptography
import Foundation
import Simulator
import TestSupport

/// A test certificate authority, and notifications that it signed with the structure and size of Apple's.
package struct SignedMaterial: Sendable {
    /// The time of verification, in milliseconds since 1970.
    package static let now: Int64 = 1_790_000_000_000
    package static let app = AppIdentity(
        bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890), environments: [.production])

    package let pki: TestCertificateAuthority
    /// HTTP request bodies.
    package let bodies: [[UInt8]]

    /// Generates new keys and signatures. The signed payloads are always the same.
    package init(count: Int) throws {
        try initializeCryptography()
        let pki = try TestCertificateAuthority(TestCertificateAuthority.Options(now: Self.now / 1000))
        let app = SimulatedApp(bundleId: Self.app.bundleId, appAppleId: Self.app.appAppleId, environment: .production)
        let corpus = try NotificationCorpus(count: count, seed: 1, pki: pki, app: app, endingAt: Self.now - 60_000)
        self.init(pki: pki, bodies: corpus.notifications.map(\.body))
    }

    /// Reads the material stored in `directory`, or generates and stores it. A seed then determines the same inputs in
    /// every run.
    package init(keptIn directory: String, count: Int) throws {
        try initializeCryptography()
        let folder = URL(filePath: directory, directoryHint: .isDirectory)
        let bodies = (0..<count).compactMap { FileManager.default.contents(atPath: Self.path($0, in: folder)) }
        if bodies.count == count, let pki = try? TestCertificateAuthority.load(from: directory) {
            self.init(pki: pki, bodies: bodies.map { Array($0) })
            return
        }
        let made = try SignedMaterial(count: count)
        try made.pki.save(to: directory)
        for (index, body) in made.bodies.enumerated() {
            try Data(body).write(to: URL(filePath: Self.path(index, in: folder)))
        }
        self = made
    }

    private init(pki: TestCertificateAuthority, bodies: [[UInt8]]) {
        self.pki = pki
        self.bodies = bodies
    }

    private static func path(_ index: Int, in folder: URL) -> String { folder.appending(path: "\(index).body").path }

    /// Creates a verifier that trusts this authority and accepts 100 new certificate chains per millisecond.
    package func verifier(tables: FixedKeyTables = FixedKeyTables()) throws -> NotificationVerifier {
        try NotificationVerifier(Self.configuration(roots: [pki.root.der], apps: [Self.app], tables: tables))
    }

    static func configuration(
        roots: [[UInt8]], apps: [AppIdentity], tables: FixedKeyTables = FixedKeyTables()
    ) -> VerifierConfiguration {
        var configuration = VerifierConfiguration(
            roots: roots, apps: apps, revocation: .off,
            newCertificateChains: NewCertificateChainLimits(perSecond: 100_000, concurrency: 64))
        configuration.tables = tables
        return configuration
    }

    /// The compact JWS in a body of this material.
    package static func jws(of body: [UInt8]) -> [UInt8] { Array(body.dropFirst(18).dropLast(2)) }

    /// The payloads of the bodies, as JSON texts.
    var payloads: [[UInt8]] { bodies.compactMap { try? CompactJWS.payload(Self.jws(of: $0)) } }
}
