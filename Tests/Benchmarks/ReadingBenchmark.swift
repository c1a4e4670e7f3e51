internal import AppStoreModel
internal import AppStoreVerification
internal import EntitlementRules
internal import Kafka
internal import Records

/// Measures two ways to read the facts of a record: in a single scan, which is enough for most records, and by decoding
/// its payloads into models, which the other records require.
struct ReadingBenchmark {
    let verified: [VerifiedNotification]
    /// The current time in milliseconds since 1970.
    let now: Int64
    let rounds: Int

    private static let count = 500
    // Both ways alternate every few milliseconds, so that other activity on the machine affects them equally.
    private static let turnsPerRound = 20

    func run(into report: inout BenchReport) throws {
        report.section("facts of a record: read by one scan and by models")
        let backlog = try NotificationBacklog(
            verified, topic: TopicNames().notifications(.production), count: Self.count, order: .spread, at: now)
        let values = (0..<backlog.count).compactMap { backlog[$0].value }
        var costs: (scan: [Double], models: [Double]) = ([], [])
        for _ in 0..<rounds * Self.turnsPerRound {
            costs.scan.append(try Self.cost(of: values, Self.scanned))
            costs.models.append(try Self.cost(of: values, Self.modelled))
        }
        report.add("reading.scan.cpu_us", Distribution(costs.scan).median, "us CPU")
        report.add("reading.models.cpu_us", Distribution(costs.models).median, "us CPU")
        let ratios = zip(costs.scan, costs.models).map { $0 / $1 }
        report.add("reading.ratio", Distribution(ratios).median, "of the models", digits: 2, bar: .atMost(1))
    }

    private static func cost(
        of values: [[UInt8]], _ facts: (NotificationRecord) -> PurchaseFacts?
    ) throws -> Double {
        let start = Clocks.threadCPU
        for value in values {
            let record = try NotificationRecord(key: nil, value: value, headers: [])
            guard let facts = facts(record), facts.hasBoundedIdentifiers else {
                throw BenchFailure("a record has no facts")
            }
        }
        return (Clocks.threadCPU - start) / 1000 / Double(values.count)
    }

    private static func scanned(_ record: NotificationRecord) -> PurchaseFacts? {
        record.transactionElement.flatMap {
            PurchaseFacts(
                scanning: record.notificationElement, transaction: $0, renewalInfo: record.renewalInfoElement,
                environment: .production)
        }
    }

    private static func modelled(_ record: NotificationRecord) -> PurchaseFacts? {
        PurchaseFacts(
            notification: record.notification, transaction: record.transaction, renewalInfo: record.renewalInfo)
    }
}
