import AppStoreModel
import AppStoreSigning
import CommandLine
import Configuration
import Foundation
import JSON
import Kafka
import KafkaDevBroker
import Lifecycle
import PipelineRuntime
import PipelineTestSupport
import Primitives
import Reconciliation
import Records
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Reconciler
@testable import Simulator

/// An embedded broker with the topics of one installation, and its own App Store Server API.
final class ReconcilerInstallation: Sendable {
    static let app = "com.example.app"
    let topics = TopicNames()
    let clock: VirtualClock
    let kafka: KafkaConfiguration
    let api: SimulatedServerAPI
    let pki: TestCertificateAuthority
    let directory: TemporaryDirectory
    let broker: DevBroker
    private let partitions: Int

    /// - Parameter app: the app that the API serves, and its id.
    init(
        partitions: Int = 2, app: (bundleId: String, appAppleId: Int64) = (ReconcilerInstallation.app, 1_234_567_890),
        leaf adjustLeaf: @escaping TestCertificateAuthority.Options.Adjustment = { _ in }
    ) async throws {
        self.partitions = partitions
        clock = VirtualClock()
        directory = try TemporaryDirectory()
        broker = try DevBroker()
        kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        for specification in topics.specifications(partitions: partitions) {
            try broker.createTopic(specification.name, partitions: specification.partitions)
        }
        var options = TestCertificateAuthority.Options(now: VirtualClock.start / 1_000)
        options.adjustLeaf = adjustLeaf
        pki = try TestCertificateAuthority(options)
        try pki.save(to: directory.path)
        let settings = SimulatedServerAPI.Settings(
            app: SimulatedApp(
                bundleId: BundleId(app.bundleId), appAppleId: AppAppleId(app.appAppleId), environment: .production),
            credentials: try SimulatedAPIKey.credentials(in: directory.path))
        api = SimulatedServerAPI(settings: settings, pki: pki, clock: clock.clocks)
        try api.start()
    }

    func stop() async {
        await api.stop()
        await broker.stop()
    }

    /// - Parameters:
    ///   - data: the directory of the member's database.
    ///   - url: URL of the API in both environments; nil for the simulated one.
    func configuration(data: String = "data", url: String? = nil, _ further: [String] = []) throws -> Configuration {
        let arguments = [
            "--kafka.bootstrap.servers", kafka.bootstrapServers, "--profile", "single-node", "--data.dir",
            directory.file(data), "--admin.port", "0", "--revocation", "off", "--appstore.api.issuer.id",
            SimulatedAPIKey.issuerId, "--appstore.api.key.id", SimulatedAPIKey.keyId, "--appstore.api.key.file",
            directory.file(SimulatedAPIKey.fileName), "--appstore.api.url", url ?? api.url(of: .production),
            "--appstore.api.sandbox.url", url ?? api.url(of: .sandbox),
        ]
        let app =
            further.contains("--apps")
            ? []
            : [
                "--apps", "\(Self.app):1234567890", "--apps.\(Self.app).environments", "Production",
                "--root.certificates", directory.file("root.pem"),
            ]
        guard
            case .run(let invocation) = ReconcilerApplication.application.command.parse(
                arguments + app + further, environment: [:])
        else { throw NoConfiguration() }
        return invocation.configuration
    }

    struct NoConfiguration: Error {}

    // MARK: Apple's notifications

    /// Returns a notification about a separate purchase.
    func notification(
        _ number: Int, _ type: NotificationType = .oneTimeCharge, signed: Int64
    ) -> UnsignedNotification {
        let uuid = Self.uuid(number)
        let original = "\(2_000_000_000_000_000 + number)"
        let transaction: JSONObject = [
            "transactionId": .string(original), "originalTransactionId": .string(original),
            "bundleId": .string(Self.app), "productId": "coins", "type": "Consumable",
            "environment": "Production", "quantity": 1, "inAppOwnershipType": "PURCHASED",
            "purchaseDate": .integer(signed - 1_000), "originalPurchaseDate": .integer(signed - 1_000),
            "signedDate": .integer(signed),
        ]
        return UnsignedNotification(
            scenario: "", run: 0, notificationType: type, subtype: nil, notificationUUID: NotificationUUID(uuid),
            signedDate: signed, originalTransactionId: OriginalTransactionId(original),
            transactionId: TransactionId(original), subject: original, transaction: JSONValue.object(transaction).json,
            renewalInfo: nil, appTransaction: nil,
            head: [
                "notificationType": .string(type.rawValue), "notificationUUID": .string(uuid), "version": "2.0",
                "signedDate": .integer(signed),
            ], containerName: "data",
            container: [
                "bundleId": .string(Self.app), "appAppleId": 1_234_567_890, "environment": "Production",
                "bundleVersion": "42",
            ])
    }

    static func uuid(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// Adds a notification to Apple's history.
    ///
    /// - Parameter acknowledged: whether Apple recorded a successful delivery.
    func register(_ notification: UnsignedNotification, acknowledged: Bool) {
        api.register(notification)
        api.record(.status(acknowledged ? 200 : 503), of: notification.notificationUUID)
    }

    /// Returns a record as the ingress writes it, with the parts that the reconciler reads.
    func record(_ notification: UnsignedNotification, at timestamp: Int64? = nil) -> KafkaProducerRecord {
        KafkaProducerRecord(
            topic: topics.notifications(.production),
            timestampMilliseconds: timestamp ?? notification.signedDate,
            key: Array("\(Self.app)/\(notification.subject)".utf8), value: Array("{}".utf8),
            headers: [
                KafkaHeader(.id, notification.notificationUUID.rawValue),
                KafkaHeader(
                    .time, AppStoreInstant(clampingMillisecondsSince1970: notification.signedDate).description),
                KafkaHeader(.trust, RecordTrust.signed.rawValue), KafkaHeader(.origin, RecordOrigin.live.rawValue),
            ])
    }

    /// Writes many records and waits until all are acknowledged.
    func write(_ records: [KafkaProducerRecord]) async throws {
        let producer = try KafkaProducer(kafka, topics: Array(Set(records.map(\.topic))))
        try await withThrowingTaskGroup { group in
            for start in stride(from: 0, to: records.count, by: 100) {
                for record in records[start..<min(start + 100, records.count)] {
                    group.addTask { _ = try await producer.send(record, deadline: .seconds(20)) }
                }
                try await group.waitForAll()
            }
        }
        await producer.close(within: .seconds(5))
    }

    // MARK: Topic contents

    /// Returns the records of a notification topic.
    func notifications(_ environment: AppStoreEnvironment = .production) async throws -> [NotificationRecord] {
        try await kafka.records(of: [topics.notifications(environment)], partitions: Int32(partitions))
            .compactMap { try? NotificationRecord(key: $0.key, value: $0.value, headers: $0.headers) }
    }

    /// Returns how often each notification was published from the history.
    func published(_ environment: AppStoreEnvironment = .production) async throws -> [String: Int] {
        try await kafka.records(of: [topics.notifications(environment)], partitions: Int32(partitions))
            .filter { $0.headers.text(.origin) == RecordOrigin.history.rawValue }
            .reduce(into: [:]) { counts, record in counts[record.headers.text(.id) ?? "", default: 0] += 1 }
    }

    /// Returns the sweeps in their topic, by kind.
    func sweeps(_ environment: AppStoreEnvironment = .production) async throws -> [String: Sweep] {
        var rows: [String: ReconciliationRow] = [:]
        for record in try await kafka.records(
            of: [topics.reconciliation(environment)], partitions: Int32(partitions))
        {
            guard let value = record.value, value.first == UInt8(ascii: "{"),
                let key = record.key.map({ String(decoding: $0, as: UTF8.self) })
            else { continue }
            let row = try ReconciliationRow(bytes: value)
            if rows[key] == nil { rows[key] = row } else { _ = rows[key]?.merge(row) }
        }
        return Dictionary(uniqueKeysWithValues: rows.values.compactMap(\.sweep).map { ($0.kind.text, $0) })
    }

    /// Waits until a sweep is in a state.
    @discardableResult
    func wait(
        for kind: SweepKind, _ environment: AppStoreEnvironment = .production, within limit: Duration = .seconds(60),
        until condition: (Sweep) -> Bool
    ) async throws -> Sweep {
        var found: Sweep?
        try await waitUntil(within: limit) {
            found = try await self.sweeps(environment)[kind.text]
            if let found, condition(found) { return true }
            // Each poll reads the whole topic.
            try await Task.sleep(for: .milliseconds(100))
            return false
        }
        return try #require(found)
    }

    /// Requests a backfill as `sluicectl backfill` does.
    func backfill(
        _ id: String, _ range: SweepRange, isDryRun: Bool = false, app: String = ReconcilerInstallation.app,
        in environment: AppStoreEnvironment = .production
    ) async throws {
        var sweep = Sweep(environment, BundleId(app), .backfill(id))
        sweep.request = Sweep.Request(range: range, isDryRun: isDryRun, requestedAt: clock.now)
        try await write(sweep)
    }

    /// Cancels a backfill as `sluicectl reconcile cancel` does.
    func cancel(backfill id: String, app: String = ReconcilerInstallation.app) async throws {
        var sweep = Sweep(.production, BundleId(app), .backfill(id))
        sweep.cancelledAt = clock.now
        try await write(sweep)
    }

    private func write(_ sweep: Sweep) async throws {
        let row = ReconciliationRow.sweep(sweep)
        try await write([
            KafkaProducerRecord(topic: topics.reconciliation(sweep.environment), key: row.key, value: row.bytes)
        ])
    }
}

typealias RunningReconciler = RunningServices

extension RunningServices {
    /// - Parameter wait: called for each wait for a turn or before another attempt. Waits take only virtual time.
    convenience init(
        _ installation: ReconcilerInstallation, _ configuration: Configuration,
        wait: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        let clock = installation.clock
        try await self.init { logger, registry in
            try await ReconcilerApplication.application(
                clocks: clock.clocks,
                sleep: { duration in
                    clock.advance(by: duration)
                    try await wait()
                    try Task.checkCancellation()
                }, pause: { try await Task.sleep(for: .milliseconds(20)) }
            ).services(configuration, logger: logger, metrics: registry)
        }
        try await waitForState()
    }
}
