import AppStoreModel
import AppStoreSigning
import Foundation
import Simulator

/// A day on which periods of monthly subscriptions end, played by the simulator. The notification of a renewal is
/// usually sent 40 minutes later, but for every fourth some hours before, and for every tenth never.
struct RenewalDay {
    static let hour: Int64 = 3_600_000

    /// Milliseconds since 1970. The day is in the past, so that all signing times are too.
    let start: Int64
    /// The last notification of each purchase before the day.
    private let before: [UnsignedNotification]
    /// The notifications signed during the day, in signing order.
    private var rest: ArraySlice<UnsignedNotification>
    private let factory: NotificationFactory
    /// The end of the latest period with a posted notification, by purchase.
    private var expiry: [String: Int64] = [:]
    private(set) var posted: [String] = []
    /// The purchases that are not renewed.
    let lapsing: Set<String>
    /// The purchases with a renewal notification after the end of the period.
    let late: Set<String>

    /// - Parameter hours: the hours of the day during which periods end; the scenarios distribute them from 6 to 18.
    init(_ purchases: Int, endingIn hours: ClosedRange<Int64>, pki: String) throws {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let start = (now - 26 * Self.hour) / Self.hour * Self.hour
        let app = SimulatedApp(
            bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890), environment: .production)
        let late = Scenario.all.filter { $0.name == "subscription-renewed-late" }
        let early = Scenario.all.filter { $0.name == "subscription-renewing" }
        guard
            let series = ScenarioSeries(
                scenarios: late + late + late + early, app: app, seed: 11,
                // Each ends up to six hours earlier, with a renewal up to six hours before the end of a month.
                endingAt: start + (30 * 24 + 12) * Self.hour)
        else { throw CocoaError(.coderInvalidValue) }
        var before: [UnsignedNotification] = []
        var within: [UnsignedNotification] = []
        var lapsing: Set<String> = []
        var notifiedLate: Set<String> = []
        var run = -1
        while before.count < purchases {
            run += 1
            let notifications = series.notifications(of: run)
            guard let last = notifications.last(where: { $0.signedDate < start }), let end = last.expiresDate,
                hours.contains((end - start) / Self.hour)
            else { continue }
            before.append(last)
            if before.count.isMultiple(of: 10) {
                lapsing.insert(last.subject)
            } else {
                within += notifications.filter { $0.signedDate >= start && $0.signedDate < start + 24 * Self.hour }
                if run % 4 < 3 { notifiedLate.insert(last.subject) }
            }
        }
        self.start = start
        self.before = before
        self.lapsing = lapsing
        self.late = notifiedLate
        rest = within.sorted { $0.signedDate < $1.signedDate }[...]
        factory = NotificationFactory(series: series, pki: try TestCertificateAuthority.load(from: pki))
    }

    /// Returns the bodies of the notifications before the day.
    mutating func notifiedBefore() throws -> [[UInt8]] { try before.map { try post($0) } }

    /// Returns the bodies that were signed by this time and not yet returned.
    mutating func due(at now: Int64) throws -> [[UInt8]] { try signed(upTo: now).map { try post($0) } }

    /// Returns the notifications that were signed by this time and not yet returned.
    mutating func signed(upTo now: Int64) -> [UnsignedNotification] {
        let signed = rest.prefix { $0.signedDate <= now }
        rest = rest.dropFirst(signed.count)
        return Array(signed)
    }

    /// Returns the body of a notification, regardless of the path on which it reaches the topic.
    mutating func post(_ notification: UnsignedNotification) throws -> [UInt8] {
        expiry[notification.subject] = notification.expiresDate
        posted.append(notification.notificationUUID.rawValue)
        return try factory.make(notification).body
    }

    /// Returns the required state of each purchase at the given time, by originalTransactionId, with three hours of
    /// leeway.
    func states(at now: Int64) -> [String: String] {
        expiry.mapValues { now < $0 ? "ACTIVE" : now < $0 + 3 * Self.hour ? "RENEWING" : "EXPIRED" }
    }
}

extension UnsignedNotification {
    /// Expiry date of the transaction, in milliseconds since 1970.
    fileprivate var expiresDate: Int64? { transaction.flatMap { JSON.object($0)?.integer("expiresDate") } }
}
