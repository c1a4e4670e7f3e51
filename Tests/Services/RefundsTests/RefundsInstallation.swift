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
import Records
import Simulator
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Refunds

/// Clocks moved by a test. They also advance on their own while real requests take time.
final class VirtualClock: Sendable {
    /// 2026-11-23T12:00:00Z.
    static let start: Int64 = 1_795_435_200_000
    private let wall = Atomic<Int64>(start)

    var now: Int64 { wall.load(ordering: .relaxed) }

    /// Returns hours since the start.
    var hours: Double { Double(now - Self.start) / 3_600_000 }

    func advance(by duration: Duration) { wall.add(duration.clampedMilliseconds, ordering: .relaxed) }

    var clocks: Clocks {
        Clocks(
            wallMilliseconds: { self.now },
            monotonicNanoseconds: {
                SystemClock.monotonicNanoseconds() + UInt64(self.now - Self.start) * 1_000_000
            })
    }
}

/// An embedded broker with the topics of one installation, and its own App Store Server API.
final class RefundsInstallation: Sendable {
    static let app = "com.example.app"
    let topics = TopicNames()
    let group = "sluice-refunds"
    let clock = VirtualClock()
    let kafka: KafkaConfiguration
    let api: SimulatedServerAPI
    let directory: TemporaryDirectory
    let broker: DevBroker

    init(partitions: Int = 2, limits: ServerAPILimits = .unlimited) async throws {
        directory = try TemporaryDirectory()
        broker = try DevBroker()
        kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        for specification in topics.specifications(partitions: partitions) {
            try broker.createTopic(specification.name, partitions: specification.partitions)
        }
        let pki = try TestCertificateAuthority(.init(now: VirtualClock.start / 1_000))
        try pki.save(to: directory.path)
        var settings = SimulatedServerAPI.Settings(
            app: SimulatedApp(
                bundleId: BundleId(Self.app), appAppleId: AppAppleId(1_234_567_890), environment: .production),
            credentials: try SimulatedAPIKey.credentials(in: directory.path))
        settings.acceptsUnknownTransactions = true
        settings.limits = limits
        api = SimulatedServerAPI(settings: settings, pki: pki, clock: clock.clocks)
        try api.start()
    }

    func stop() async {
        await api.stop()
        await broker.stop()
    }

    /// Rules that decline, with consent.
    static let rules = """
        {"default":"decline","consumption":{"customerConsented":true,"deliveryStatus":"DELIVERED",\
        "sampleContentProvided":false,"consumptionPercentage":100000}}
        """

    func configuration(
        rules: String = RefundsInstallation.rules, data: String = "data",
        apps: String = "\(RefundsInstallation.app):1234567890", _ further: [String] = []
    ) throws -> Configuration {
        let file = try directory.write(rules, to: "rules-\(UUID().uuidString).json")
        let arguments = [
            "--kafka.bootstrap.servers", kafka.bootstrapServers, "--profile", "single-node", "--data.dir",
            directory.file(data), "--admin.port", "0", "--apps", apps, "--root.certificates",
            directory.file("root.pem"), "--revocation", "off", "--appstore.api.issuer.id", SimulatedAPIKey.issuerId,
            "--appstore.api.key.id", SimulatedAPIKey.keyId, "--appstore.api.key.file",
            directory.file(SimulatedAPIKey.fileName), "--appstore.api.url", api.url(of: .production),
            "--appstore.api.sandbox.url", api.url(of: .sandbox), "--refunds.rules", file,
        ]
        guard
            case .run(let invocation) = RefundsApplication.application.command.parse(
                arguments + further, environment: [:])
        else { throw NoConfiguration() }
        return invocation.configuration
    }

    struct NoConfiguration: Error {}

    // MARK: Apple's notifications

    /// Returns a record about the refund of one transaction.
    func record(
        _ type: NotificationType, _ transactionId: String, uuid: String? = nil, signed: Int64? = nil,
        reason: String? = "UNINTENDED_PURCHASE", legacy: JSONObject? = nil, _ further: JSONObject = [:]
    ) -> KafkaProducerRecord {
        let signed = signed ?? clock.now
        var transaction: JSONObject = [
            "transactionId": .string(transactionId), "originalTransactionId": .string(transactionId),
            "bundleId": .string(Self.app), "productId": "coins", "type": "Consumable", "environment": "Production",
            "price": 4990, "currency": "USD", "quantity": 1, "inAppOwnershipType": "PURCHASED",
            "purchaseDate": .integer(signed - 86_400_000), "signedDate": .integer(signed),
            "appAccountToken": "7e3fb204-2d5b-4a5c-8f1e-000000000001",
            "appTransactionId": .string("70\(transactionId)"),
        ]
        if type == .refund { transaction["revocationDate"] = .integer(signed) }
        for member in further.members { transaction[member.name] = member.value }
        var data: JSONObject = ["bundleId": .string(Self.app), "environment": "Production"]
        if type == .consumptionRequest { data["consumptionRequestReason"] = reason.map { .string($0) } }
        var notification: JSONObject = [
            "notificationType": .string(type.rawValue), "signedDate": .integer(signed), "version": "2.0",
            "notificationUUID": .string(uuid ?? "\(type.rawValue)-\(transactionId)-\(signed)"),
        ]
        var value: JSONObject = [:]
        if type == .rescindConsent {
            notification["appData"] = .object(data)
            value["appTransaction"] = ["appTransactionId": .string("70\(transactionId)")]
        } else {
            notification["data"] = .object(data)
            value["transaction"] = .object(transaction)
        }
        if let legacy {
            notification["version"] = "1.0"
            value["legacy"] = .object(legacy)
        }
        value["notification"] = .object(notification)
        return KafkaProducerRecord(
            topic: topics.notifications(.production), key: Array("\(Self.app)/\(transactionId)".utf8),
            value: JSONValue.object(value).json,
            headers: [
                KafkaHeader(key: RecordHeaderName.trust.rawValue, text: legacy == nil ? "signed" : "shared-secret"),
                KafkaHeader(
                    key: RecordHeaderName.receivedTime.rawValue,
                    text: AppStoreInstant(clampingMillisecondsSince1970: clock.now).description),
            ])
    }

    /// Returns the last published value of each case, by transactionId.
    func cases() async throws -> [String: JSONObject] {
        var cases: [String: JSONObject] = [:]
        for record in try await kafka.records(of: [topics.refunds(.production)], partitions: 2) {
            guard let value = record.value, let object = try JSONValue(json: value).object,
                let id = object["transactionId"]?.string
            else { continue }
            cases[id] = object
        }
        return cases
    }

    func caseOf(_ id: String) async throws -> JSONObject { try #require(try await cases()[id]) }

    /// Returns the newest element of a case's `answers`, `accepted`, `ends` or `verdicts`.
    func newest(_ parts: String, of id: String) async throws -> JSONObject? {
        try await caseOf(id)[parts]?.array?.last?.object
    }

    /// Waits until a waiting round has this obstacle.
    func wait(forObstacle reason: String, of id: String) async throws {
        try await waitUntil(within: .seconds(30)) {
            let found = try await self.cases()[id]
            try await Task.sleep(for: .milliseconds(50))
            return found?["answerStatus"] == "waiting" && found?["obstacle"]?.object?["reason"] == .string(reason)
        }
    }

    /// Returns a record with the company's preference for a customer.
    func record(preference json: String, of customer: String) -> KafkaProducerRecord {
        KafkaProducerRecord(topic: topics.refundPreferences, key: Array(customer.utf8), value: Array(json.utf8))
    }

    /// Waits until the answer to a transaction has this status in the topic.
    func wait(for status: String, of ids: [String], within limit: Duration = .seconds(30)) async throws {
        try await waitUntil(within: limit) {
            let cases = try await self.cases()
            if ids.allSatisfy({ cases[$0]?["answerStatus"]?.string == status }) { return true }
            // Each poll reads the whole topic.
            try await Task.sleep(for: .milliseconds(100))
            return false
        }
    }

    /// Bodies of the PUT requests that Apple accepted, by transactionId.
    var accepted: [String: [String]] {
        Dictionary(
            grouping: api.answers.filter(\.isAccepted), by: \.transactionId.rawValue
        ).mapValues { $0.map { String(decoding: $0.body, as: UTF8.self) } }
    }

    /// All received bodies, by transactionId.
    var bodies: [String: Set<String>] {
        Dictionary(grouping: api.answers, by: \.transactionId.rawValue).mapValues { answers in
            Set(answers.map { String(decoding: $0.body, as: UTF8.self) })
        }
    }
}

typealias RunningRefunds = RunningServices

extension RunningServices {
    /// - Parameter step: returns how far the wall clock advances at each check for due cases, given the elapsed hours.
    convenience init(
        _ installation: RefundsInstallation, _ configuration: Configuration,
        step: @escaping @Sendable (_ hours: Double) -> Duration = { _ in .zero }
    ) async throws {
        let clock = installation.clock
        try await self.init { logger, registry in
            try await RefundsApplication.application(
                clocks: clock.clocks,
                pause: {
                    clock.advance(by: step(clock.hours))
                    try await Task.sleep(for: .milliseconds(20))
                }
            ).services(configuration, logger: logger, metrics: registry)
        }
        try await waitForState()
    }
}
