import AppStoreModel
import AppStoreSigning
import AppStoreTestSupport
import CommandLine
import Configuration
import Cryptography
import Entitlements
import Foundation
import Ingress
import JSON
import Kafka
import PipelineRuntime
import Primitives
import Records
import ServiceKit
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Sluicectl

/// The output of a command.
final class Printed: Sendable {
    private struct State {
        var output: [UInt8] = []
        var complaints: [String] = []
        var linesBeforeClosing: Int?
    }

    private let state = Mutex(State())

    /// - Parameter linesBeforeClosing: the number of prints after which the output is closed.
    init(linesBeforeClosing: Int? = nil) {
        state.withLock { $0.linesBeforeClosing = linesBeforeClosing }
    }

    var console: Console {
        Console(
            output: { bytes in
                self.state.withLock { state in
                    if state.linesBeforeClosing == 0 { return false }
                    state.linesBeforeClosing = state.linesBeforeClosing.map { $0 - 1 }
                    state.output += bytes
                    return true
                }
            }, complaint: { line in self.state.withLock { $0.complaints.append(line) } })
    }

    var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
    var complaints: [String] { state.withLock { $0.complaints } }
    /// Returns the lines of the output, each one a JSON object.
    var objects: [JSONObject] {
        get throws {
            try output.split(separator: "\n").map { try #require(try JSONValue(json: Array($0.utf8)).object) }
        }
    }
}

/// Runs `sluicectl` with dependencies like those of the executable. Reveals of archived records are recorded instead of
/// published.
func sluicectl(
    _ arguments: [String], environment: [String: String] = [:], timeout: Duration = .seconds(10),
    interruption: AsyncStream<String> = AsyncStream { _ in }, into printed: Printed = Printed(),
    publishing: RecordPublishing = RecordedReveals().publishing,
    monotonic: @escaping @Sendable () -> UInt64 = { 0 }
) async -> (exitCode: Int32, printed: Printed) {
    let clocks = Clocks(wallMilliseconds: { Signed.now }, monotonicNanoseconds: monotonic)
    let tool = Sluicectl(
        testParts, console: printed.console, clocks: clocks, timeout: timeout, interruptions: { interruption },
        publishing: publishing)
    return (await tool.run(arguments, environment: environment), printed)
}

let testParts = SluicectlParts(
    executables: [
        .init(
            name: "sluice-ingress", schema: IngressConfiguration.schema,
            dependencies: { configuration in
                var needs = SluicectlParts.Dependencies()
                needs.verifies = true
                needs.topics = try IngressConfiguration(configuration).requiredTopics
                return needs
            }
        ) { configuration throws(ConfigurationError) in _ = try IngressConfiguration(configuration) },
        .init(
            name: "sluice-other",
            schema: ConfigurationSchema(
                ApplicationSettings.all + [otherURL, otherDirectory, otherBucket],
                openPrefixes: [ApplicationSettings.kafka]),
            dependencies: { otherNeeds($0) }
        ) { _ throws(ConfigurationError) in },
        .init(
            name: "sluice-extra",
            schema: ConfigurationSchema(
                ApplicationSettings.all + [
                    Setting.string("extra.url", help: "Required."),
                    Setting.integer("extra.count", default: 1, in: 1...9, help: "Not required."),
                ],
                openPrefixes: [ApplicationSettings.kafka]),
            isOptional: true
        ) { _ throws(ConfigurationError) in },
    ],
    verification: .init(
        schema: ConfigurationSchema([
            IngressSettings.appsIfAny, IngressSettings.environments, IngressSettings.roots,
        ]),
        roots: { configuration throws(ConfigurationError) in try IngressConfiguration.roots(configuration) },
        apps: { configuration throws(ConfigurationError) in try IngressConfiguration.apps(configuration) }),
    webhooks: .init(
        schema: ConfigurationSchema([accepting]), test: { delivery($0) },
        resend: { _, configuration, _ in delivery(configuration) },
        resendFailed: { _, _, _, configuration, _, report in try await report(delivery(configuration)) }),
    access: .init(
        schema: ConfigurationSchema([repairing, webhooksGroup, EntitlementsSettings.stories]),
        options: { configuration in
            let names = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix])
            return AccessOptions(
                webhookReceivers: [
                    .init(
                        group: configuration[webhooksGroup], inputs: [names.entitlements(.production)], rebuilds: false)
                ],
                archived: [names.quarantine], anchorsInKafka: true, repairsStatuses: configuration[repairing],
                tellsStories: configuration[EntitlementsSettings.stories], publishesOperatorEvents: false)
        }),
    entitlements: .init(
        schema: EntitlementsStory.schema,
        model: { configuration throws(ConfigurationError) in try EntitlementsStory.model(configuration) }))

private let otherURL = Setting.string("other.url", help: "Used by tests.").optional
private let otherDirectory = Setting.string("other.directory", help: "Used by tests.").optional
private let otherBucket = Setting.string("other.bucket", default: "open", help: "Used by tests.")

private func otherNeeds(_ configuration: Configuration) -> SluicectlParts.Dependencies {
    var needs = SluicectlParts.Dependencies()
    needs.topics = [KafkaTopicExpectation(topic: "other.input")]
    needs.listeners = [.init("admin.port", host: "127.0.0.1", port: 0)]
    needs.endpoints = configuration[otherURL].map { [.init("other.url", $0)] } ?? []
    needs.directories =
        configuration[otherDirectory].map { [.init("other.directory", $0, isCreated: false)] } ?? []
    let bucket = configuration[otherBucket]
    needs.buckets = [
        .init("other.bucket", bucket) { if bucket == "denied" { throw KafkaError(.closed, "access is denied") } }
    ]
    return needs
}

private let webhooksGroup = ConsumerSettings.group(of: "sluice-webhooks")

/// Whether the reconciler publishes Apple's statuses.
private let repairing = Setting.boolean("repairing", default: true, help: "Used by tests.")

/// Whether the webhook receiver accepts messages.
private let accepting = Setting.boolean("accepting", default: true, help: "Used by tests.")

private func delivery(_ configuration: Configuration) -> SluicectlParts.Delivery {
    let isAccepted = configuration[accepting]
    return .init(isAccepted: isAccepted, text: isAccepted ? "taken" : "not taken", json: Array("{}".utf8))
}

/// A notification signed under a test root.
enum Signed {
    /// 2026-11-01T00:00:00Z.
    static let now: Int64 = 1_793_491_200_000
    static let transactionInfo = """
        {"bundleId":"com.example.app","environment":"Production","expiresDate":1796083200000,\
        "originalTransactionId":"2000000000000001","productId":"com.example.monthly","signedDate":1793491100000,\
        "transactionId":"2000000000000001","type":"Auto-Renewable Subscription"}
        """
    static let notification = """
        {"notificationType":"SUBSCRIBED","subtype":"INITIAL_BUY",\
        "notificationUUID":"7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55","version":"2.0","signedDate":1793491100000,\
        "data":{"appAppleId":1234567890,"bundleId":"com.example.app","environment":"Production",\
        "signedTransactionInfo":"{signedTransactionInfo}","signedRenewalInfo":"{signedRenewalInfo}","status":1}}
        """
    static let renewalInfo = """
        {"autoRenewProductId":"com.example.monthly","autoRenewStatus":1,"environment":"Production",\
        "originalTransactionId":"2000000000000001","productId":"com.example.monthly","signedDate":1793491100000}
        """

    static let pki = Result {
        try initializeCryptography()
        return try TestCertificateAuthority(TestCertificateAuthority.Options(now: now / 1000))
    }

    static func body() throws -> [UInt8] {
        try NotificationSigner(JWSSigner(pki.get()))
            .sign(.init(notification: notification, transactionInfo: transactionInfo, renewalInfo: renewalInfo)).body
    }
}

extension TemporaryDirectory {
    /// Writes the test root and a valid body.
    func signedFiles() throws -> (root: String, body: String) {
        (try write(try Signed.pki.get().root.der, to: "root.der"), try write(try Signed.body(), to: "body.json"))
    }
}

/// Sample records as seen by a consumer.
enum Sample {
    static let names = TopicNames()
    /// 2026-11-01T00:00:01Z.
    static let timestamp: Int64 = 1_793_491_201_000
    static let value = """
        {"notification":{"notificationType":"SUBSCRIBED","subtype":"INITIAL_BUY",\
        "notificationUUID":"7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55","data":{"status":1}},\
        "transaction":{"productId":"com.example.monthly","expiresDate":1796083200000},"signedPayload":"a.b.c"}
        """

    static func record(
        topic: KafkaTopic = names.notifications(.production), key: String? = "com.example.app/2000000000000001",
        value: String?, headers: [KafkaHeader] = [], offset: Int64 = 17
    ) -> KafkaRecord {
        KafkaRecord(
            topic: topic, partition: 3, offset: KafkaOffset(rawValue: offset),
            timestampMilliseconds: timestamp, key: key.map { Array($0.utf8) }, value: value.map { Array($0.utf8) },
            headers: headers)
    }
}
