import AppStoreModel
import AppStoreSigning
import Foundation
import Synchronization
import Testing

@testable import Simulator

let productionApp = SimulatedApp(
    bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890), environment: .production)
let sandboxApp = SimulatedApp(
    bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890), environment: .sandbox)
/// 2026-11-01T00:00:00Z.
let scenarioEnd: Int64 = 1_793_491_200_000

func makeSeries(
    _ scenarios: [Scenario] = Scenario.all, accounts: Int? = nil, app: SimulatedApp = productionApp, seed: UInt64 = 7,
    formats: Set<NotificationFormat> = [.v2], receiptTransactions: Int = 0
) throws -> ScenarioSeries {
    try #require(
        ScenarioSeries(
            scenarios: scenarios, accounts: accounts, app: app, seed: seed, endingAt: scenarioEnd, formats: formats,
            receiptTransactions: receiptTransactions))
}

/// Parses a payload as a JSON object.
func members(_ json: [UInt8]?) throws -> [String: Any] {
    let json = try #require(json)
    return try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
}

/// Returns the payload with placeholders in place of the nested JWS.
func outer(_ notification: UnsignedNotification) throws -> [String: Any] {
    try members(
        notification.payload(
            signedTransactionInfo: notification.transaction.map { _ in Array("T".utf8) },
            signedRenewalInfo: notification.renewalInfo.map { _ in Array("R".utf8) },
            signedAppTransactionInfo: notification.appTransaction.map { _ in Array("A".utf8) }))
}

/// Certificates created once for all tests.
let testPKI = Result { try TestCertificateAuthority(TestCertificateAuthority.Options(now: scenarioEnd / 1000)) }

/// A clock that jumps to the time of each wait.
final class SkippingClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private let time = Mutex(Instant(offset: .zero))
    var now: Instant { time.withLock { $0 } }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        time.withLock { $0 = max($0, deadline) }
    }
}
