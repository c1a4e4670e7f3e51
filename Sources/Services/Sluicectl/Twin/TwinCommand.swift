internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Primitives
internal import Records

/// `sluicectl compare-versions`: checks whether version 1 and version 2 notifications agree, for a team that receives
/// both during a migration.
struct TwinCommand {
    let configuration: Configuration
    let clocks: Clocks
    let timeout: Duration

    private var environment: AppStoreEnvironment { configuration[OperationsSettings.environment] }
    private var toleranceMilliseconds: Int64 {
        configuration[TwinSettings.tolerance].components.seconds * 1000  // no overflow: at most a week
    }

    func run(_ console: Console) async throws -> ExitCode {
        let from = configuration[TwinSettings.from]
        let to =
            configuration[TwinSettings.to]
            ?? AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
        if let from, from >= to {
            throw StartupError("--from is not before --to", fix: "Set --from to a time before \(to)", exitCode: .usage)
        }
        let topic = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]).notifications(environment)
        let reading = Reading(
            environment, bundleId: configuration[TwinSettings.app].map { BundleId($0) }, from: from, to: to,
            toleranceMilliseconds: toleranceMilliseconds)
        try await Brokers.connected(configuration, timeout) { admin, kafka in
            try await TopicScan(topic, of: admin, with: kafka).run { record in
                reading.take(record)
                return true
            }
        }
        if reading.unreadable > 0 {
            console.complain("sluicectl: \(reading.unreadable) records in \(topic) are not notifications")
        }
        let comparison = reading.comparison
        let report = TwinReport(comparison: comparison, limit: configuration[TwinSettings.limit])
        await console.write(configuration, text: report.text, json: report.json)
        if !comparison.isSame { return .failure }
        return reading.unreadable == 0 ? .ok : .comparisonIncomplete
    }

    /// Collects a topic's records that are in the time range, or close enough to have a counterpart in it.
    private final class Reading {
        private let environment: AppStoreEnvironment
        private let bundleId: BundleId?
        private let from: AppStoreInstant?
        private let to: AppStoreInstant
        private let tolerance: Int64
        private var notifications: [TwinNotification] = []
        private var states: TwinStates
        private(set) var unreadable = 0

        init(
            _ environment: AppStoreEnvironment, bundleId: BundleId?, from: AppStoreInstant?, to: AppStoreInstant,
            toleranceMilliseconds: Int64
        ) {
            self.environment = environment
            self.bundleId = bundleId
            self.from = from
            self.to = to
            tolerance = toleranceMilliseconds
            states = TwinStates(environment)
        }

        func take(_ record: KafkaRecord) {
            guard let record = try? NotificationRecord(record), let notification = TwinNotification(record) else {
                unreadable += 1
                return
            }
            guard bundleId == nil || notification.event.bundleId == bundleId else { return }
            let receivedAt = notification.receivedAt
            if let from, receivedAt < from.advanced(byMilliseconds: -tolerance) { return }
            guard receivedAt < to.advanced(byMilliseconds: tolerance) else { return }
            notifications.append(notification)
            if from.map({ $0 <= receivedAt }) ?? true, receivedAt < to { states.take(record) }
        }

        var comparison: TwinComparison {
            TwinComparison(
                notifications, states: states, environment: environment, from: from, to: to,
                toleranceMilliseconds: tolerance)
        }
    }
}

extension ExitCode {
    /// The versions agree in the records that could be read; others are not notifications. The value is a public
    /// contract.
    static let comparisonIncomplete = ExitCode(rawValue: 3)
}
