import AppStoreModel
import AppStoreSigning
import Foundation
import Simulator
import Synchronization

/// An endless supply of signed notifications. It prepares the next batch while the current one is in use.
final class NotificationSupply: Sendable {
    private static let batch = 200

    private let pki: TestCertificateAuthority
    private let seed: UInt64
    private struct State {
        var made: UInt64 = 0
        var next: Task<[SignedNotification], any Error>?
    }
    private let state = Mutex(State())

    /// - Parameters:
    ///   - pki: the directory created by the simulator.
    ///   - seed: a different seed creates different notifications.
    init(pki: String, seed: UInt64) throws {
        self.pki = try TestCertificateAuthority.load(from: pki)
        self.seed = seed
        state.withLock { $0.next = make(0) }
    }

    /// Returns the next batch.
    func next() async throws -> [SignedNotification] {
        let task = state.withLock { state in
            let task = state.next ?? make(state.made)
            state.made += 1
            state.next = make(state.made)
            return task
        }
        return try await task.value
    }

    /// Returns the bodies of a number of notifications at once.
    static func bodies(_ count: Int, pki: String, seed: UInt64) throws -> [[UInt8]] {
        try corpus(count, TestCertificateAuthority.load(from: pki), seed).map(\.body)
    }

    private func make(_ number: UInt64) -> Task<[SignedNotification], any Error> {
        // Awaited by the next call, or abandoned with the load.
        Task { [pki, seed] in try Self.corpus(Self.batch, pki, seed << 20 + number) }
    }

    private static func corpus(_ count: Int, _ pki: TestCertificateAuthority, _ seed: UInt64) throws
        -> [SignedNotification]
    {
        let app = SimulatedApp(
            bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890), environment: .production)
        return try NotificationCorpus(
            count: count, seed: seed, pki: pki, app: app,
            scenarios: Scenario.all.filter { $0.name == "subscription-renewing" },
            endingAt: Int64(Date().timeIntervalSince1970 * 1000)
        ).notifications
    }
}
