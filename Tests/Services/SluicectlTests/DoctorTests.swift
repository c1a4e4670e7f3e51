import AppStoreModel
import AppStoreServerAPI
import AppStoreSettings
import AppStoreSigning
import Cryptography
import Kafka
import Records
import ServiceKit
import Testing

@testable import Ingress
@testable import Sluicectl

/// The findings derived from facts, without any input or output.
@Suite struct DoctorFindingsTests {
    private static let now: Int64 = 1_795_000_000_000

    private static func partition(
        _ number: Int, leader: Int32? = 1, inSync: [Int32] = [1, 2, 3]
    ) -> KafkaTopicDescription.Partition {
        .init(
            partition: KafkaPartition(rawValue: Int32(number)), leader: leader, replicas: [1, 2, 3],
            inSyncReplicas: inSync)
    }

    private static func topic(
        _ name: KafkaTopic, partitions: [KafkaTopicDescription.Partition] = [partition(0)],
        settings: [String: String] = [:]
    ) -> KafkaTopicDescription {
        let good = [
            "min.insync.replicas": "2", "unclean.leader.election.enable": "false", "max.message.bytes": "1048588",
            "cleanup.policy": "delete", "retention.ms": "2592000000",
        ]
        return KafkaTopicDescription(
            topic: name, partitions: partitions,
            configuration: good.merging(settings) { $1 })
    }

    /// Returns an installation without faults.
    private static func good() -> DoctorFacts {
        var facts = DoctorFacts()
        facts.configuration = .good(apps: 2, profile: .production, file: "sluice.properties")
        facts.now = now
        facts.roots = [
            .init(
                subject: "Apple Root CA - G3", fingerprint: "63343abf", isBuiltIn: true, defect: nil,
                validity: CertificateValidity(notBefore: 0, notAfter: now / 1_000 + 365 * 86_400))
        ]
        facts.responders = .asked([("leaf", "http://ocsp.example", .good)])
        facts.bootstrapServers = "kafka-1:9092"
        facts.brokers = .answering(clusterId: "abc", isEmbedded: false)
        facts.topics = facts.topicNames.ingress().map { topic($0.name, settings: $0.settings) }
        facts.producerMessageMaxBytes = 1_000_000
        facts.api = answer(.refused, status: 404, code: .transactionIdNotFound, clockDifference: -2_500)
        return facts
    }

    private static func answer(
        _ kind: APIError.Kind, status: Int? = nil, code: APIErrorCode? = nil, fix: String? = nil,
        clockDifference: Int64? = nil
    ) -> DoctorFacts.API {
        let failure = APIError(
            kind: kind, status: status, code: code, message: "answered \(kind.rawValue)", isRetriable: false, fix: fix)
        return .asked(
            [
                DoctorFacts.APIAnswer(
                    bundleId: "com.example.app", environment: "Production", failure: failure,
                    clockDifference: clockDifference)
            ], warnings: [])
    }

    /// A fault, and the expected finding.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: FindingStatus
        let check: DoctorCheck
        let found: String
        let make: @Sendable (inout DoctorFacts) -> Void

        init(
            _ name: String, _ status: FindingStatus, _ check: DoctorCheck, _ found: String,
            _ make: @escaping @Sendable (inout DoctorFacts) -> Void
        ) {
            (testDescription, self.status, self.check, self.found, self.make) = (name, status, check, found, make)
        }
    }

    private static func fault(
        _ name: String, _ status: FindingStatus, _ found: String, setting: String, _ value: String,
        profile: DeploymentProfile = .production
    ) -> Fault {
        Fault(name, status, .topic, found) { facts in
            facts.configuration = .good(apps: 1, profile: profile, file: nil)
            facts.topics?[0] = topic(TopicNames().notifications(.production), settings: [setting: value])
        }
    }

    private static func fault(
        _ name: String, _ status: FindingStatus, _ found: String,
        partitions: [KafkaTopicDescription.Partition]
    ) -> Fault {
        Fault(name, status, .topic, found) { facts in
            facts.topics?[0] = topic(TopicNames().notifications(.production), partitions: partitions)
        }
    }

    static let faults: [Fault] = [
        Fault("a clock before this version", .problem, .clock, "2026-10-31T23:59:59Z") {
            $0.now = 1_793_491_200_000 - 1
        },
        Fault("a root that has expired", .problem, .root, "has expired") {
            $0.roots = [
                .init(
                    subject: "r", fingerprint: "", isBuiltIn: false, defect: nil,
                    validity: CertificateValidity(notBefore: 0, notAfter: now / 1_000 - 1))
            ]
        },
        Fault("a root that ends soon", .warning, .root, "89 days left") {
            $0.roots = [
                .init(
                    subject: "r", fingerprint: "", isBuiltIn: true, defect: nil,
                    validity: CertificateValidity(notBefore: 0, notAfter: now / 1_000 + 90 * 86_400 - 1))
            ]
        },
        Fault("another root in production", .warning, .root, "replaces Apple's root") {
            $0.roots = [
                .init(
                    subject: "r", fingerprint: "", isBuiltIn: false, defect: nil,
                    validity: CertificateValidity(notBefore: 0, notAfter: now / 1_000 + 365 * 86_400))
            ]
        },
        Fault("a root that is none", .problem, .root, "is not self-signed") {
            $0.roots = [
                .init(
                    subject: "r", fingerprint: "", isBuiltIn: false, defect: "the root r is not self-signed",
                    validity: nil)
            ]
        },
        Fault("a revoked certificate", .problem, .ocsp, "reports status revoked") {
            $0.responders = .asked([("leaf", "http://ocsp.example", .revoked)])
        },
        Fault("a responder out of reach", .problem, .ocsp, "is unreachable: timed out") {
            $0.responders = .asked([("leaf", "http://ocsp.example", .unreachable("timed out"))])
        },
        Fault("a certificate without responder", .warning, .ocsp, "contains no OCSP responder URL") {
            $0.responders = .asked([("leaf", nil, .noAddress)])
        },
        Fault("no certificate given", .skipped, .ocsp, "no certificate was given") { $0.responders = .notAsked },
        Fault("silent brokers", .problem, .brokers, "no Kafka broker answers: timed out") {
            $0.brokers = .silent("no Kafka broker answers: timed out", fix: "Start Kafka")
        },
        Fault("a wrong password", .problem, .authentication, "rejected the credentials") {
            $0.mechanism = "PLAIN"
            $0.brokers = .silent("the brokers rejected the credentials", fix: "Correct it")
            $0.trouble = .credentials
            $0.topics = nil
        },
        Fault("a foreign authority", .problem, .tls, "is not trusted") {
            $0.securityProtocol = "SASL_SSL"
            $0.brokers = .silent("the certificate is not trusted", fix: "Set kafka.ssl.ca.location")
            $0.trouble = .untrustedCertificate
            $0.topics = nil
        },
        Fault("the embedded broker in production", .problem, .brokers, "keeps records in memory") {
            $0.brokers = .answering(clusterId: "mockCluster", isEmbedded: true)
        },
        Fault("topics that may not be described", .problem, .topic, "TOPIC_AUTHORIZATION_FAILED") {
            ($0.topics, $0.topicsError) = (nil, KafkaError(.topicAuthorizationFailed, "describe topics"))
        },
        Fault("a topic that does not exist", .problem, .topic, "does not exist") { $0.topics?.remove(at: 0) },
        fault("one in sync", .problem, "min.insync.replicas is 1", setting: "min.insync.replicas", "1"),
        fault(
            "one in sync on a single node", .warning, "min.insync.replicas is 1", setting: "min.insync.replicas", "1",
            profile: .singleNode),
        fault(
            "unclean elections", .problem, "unclean.leader.election.enable is true",
            setting: "unclean.leader.election.enable", "true"),
        fault(
            "small messages on a single node", .problem, "max.message.bytes is 1000", setting: "max.message.bytes",
            "1000", profile: .singleNode),
        fault("seven days", .problem, "retention.ms is 604800000", setting: "retention.ms", "604800000"),
        fault(
            "no leader", .problem, "partition 1: no leader",
            partitions: [partition(0), partition(1, leader: nil, inSync: [])]),
        fault(
            "too few in sync", .problem, "partitions 0, 1: fewer in-sync replicas than min.insync.replicas",
            partitions: [partition(0, inSync: [1]), partition(1, inSync: [2])]),
        fault(
            "a replica behind", .warning, "partition 0: under-replicated",
            partitions: [partition(0, inSync: [1, 2])]),
        Fault("no key for the App Store Server API", .skipped, .api, "no key is configured") {
            $0.api = .notConfigured
        },
        Fault("version 1 notifications that nothing can confirm", .warning, .api, "cannot be confirmed") {
            $0.unconfirmableApps = ["com.example.app"]
        },
        Fault("a wrong setting of it", .problem, .api, "appstore.api.key.file") {
            $0.api = .wrong("appstore.api.key.file: is no key")
        },
        Fault("a key file for all", .warning, .api, "every user") {
            $0.api = .asked([], warnings: [.init(setting: "a", problem: "every user", fix: "chmod")])
        },
        Fault("a token that Apple refuses", .problem, .api, "401") {
            $0.api = answer(.unauthorized, status: 401, fix: "one of: the key id does not match the key file")
        },
        Fault("a proxy's 403", .problem, .api, "not a response from Apple") { $0.api = answer(.refused, status: 403) },
        Fault("a page in place of an answer", .problem, .api, "not a response from Apple") {
            $0.api = answer(.unreadable, status: 302)
        },
        Fault("a fault of Apple", .warning, .api, "unknown: ") { $0.api = answer(.server, status: 500) },
        Fault("an API out of reach", .problem, .api, "no response: ") { $0.api = answer(.noAnswer) },
        Fault("a clock of another time than Apple's", .problem, .clock, "31 s ahead of Apple's") {
            $0.api = answer(.refused, status: 404, code: .transactionIdNotFound, clockDifference: 31_000)
        },
        Fault("a small producer", .problem, .messageSizes, "kafka.message.max.bytes is 1000") {
            $0.producerMessageMaxBytes = 1_000
        },
        Fault("a large producer", .warning, .messageSizes, "brokers may reject records that the producer sends") {
            $0.producerMessageMaxBytes = 2_000_000
            $0.topics = $0.topicNames.ingress().enumerated().map { number, specification in
                let others = ["max.message.bytes": "2000000"]
                return topic(
                    specification.name, settings: specification.settings.merging(number == 0 ? [:] : others) { $1 })
            }
        },
    ]

    @Test func `an installation without faults has only good findings`() {
        let findings = Self.good().findings
        #expect(findings.allSatisfy { $0.status == .ok }, "\(findings)")
        #expect(DoctorReport(findings: findings).isGood)
        #expect(DoctorReport(findings: findings).text.hasSuffix("\nno findings\n"))
        #expect(
            findings.map(\.check) == [
                .configuration, .clock, .root, .ocsp, .brokers, .topic, .topic, .topic, .topic, .messageSizes, .api,
                .clock,
            ])
        #expect(findings.last?.found == "2 s behind Apple's")
        #expect(findings[4].found == "kafka-1:9092 is reachable, cluster abc, 3 brokers (1, 2, 3) store the topics")
    }

    @Test(arguments: faults)
    func `a fault is found and reported`(_ fault: Fault) {
        var facts = Self.good()
        fault.make(&facts)
        let findings = facts.findings.filter { $0.status == fault.status && $0.check == fault.check }
        #expect(findings.count == 1, "\(facts.findings)")
        #expect(findings.first?.found.contains(fault.found) == true, "\(findings)")
        #expect(findings.first?.fix != nil || fault.check == .topic)
        #expect(DoctorReport(findings: facts.findings).isGood == (fault.status != .problem))
    }

    @Test func `a compacted topic with unsafe settings is reported, and a missing one is not`() {
        let state = TopicNames().entitlements(.production)
        func findings(_ settings: [String: String]) -> [DoctorFinding] {
            var facts = Self.good()
            let good = [
                "cleanup.policy": "compact", "delete.retention.ms": "3888000000",
                "message.timestamp.type": "CreateTime", "max.compaction.lag.ms": "604800000", "segment.ms": "86400000",
                "max.message.bytes": "1048588",
            ]
            facts.topics?.append(Self.topic(state, settings: good.merging(settings) { $1 }))
            return facts.findings.filter { $0.subject == state.rawValue }
        }
        #expect(findings([:]).isEmpty)
        let never = findings(["max.compaction.lag.ms": "9223372036854775807"])
        #expect(never.map(\.status) == [.warning])
        #expect(never.first?.found == "max.compaction.lag.ms is 9223372036854775807, expected at most 604800000")
        #expect(findings(["message.timestamp.type": "LogAppendTime"]).map(\.status) == [.problem])
        let soon = findings(["delete.retention.ms": "86400000"])
        #expect(soon.map(\.status) == [.warning])
        #expect(soon.first?.found == "delete.retention.ms is 86400000, expected at least 3888000000")
        #expect(soon.first?.fix == "Run sluicectl topics check, which prints the command")
        #expect(findings(["cleanup.policy": "delete"]).map(\.status) == [.problem])
    }

    @Test func `credentials that are rejected prove that TLS has passed, and an unreachable broker proves nothing`() {
        func statuses(_ trouble: KafkaTrouble.Cause?) -> [FindingStatus] {
            var facts = Self.good()
            (facts.securityProtocol, facts.mechanism) = ("SASL_SSL", "SCRAM-SHA-512")
            facts.brokers = .silent("no Kafka broker answers", fix: "Start Kafka")
            facts.trouble = trouble
            return facts.findings.filter { [.tls, .authentication].contains($0.check) }.map(\.status)
        }
        #expect(statuses(.credentials) == [.ok, .problem])
        #expect(statuses(.certificateName) == [.problem, .unknown])
        #expect(statuses(.refused) == [.unknown, .unknown])
        #expect(statuses(nil) == [.unknown, .unknown])
    }

    @Test func `a certificate without a responder is reported with the effect and with a setting that corrects it`() {
        var facts = Self.good()
        facts.responders = .asked([("leaf", nil, .noAddress)])
        let finding = facts.findings.first { $0.check == .ocsp }
        #expect(finding?.found.hasSuffix("with revocation=strict, its notifications receive a 503 response") == true)
        #expect(finding?.fix?.hasPrefix("Set revocation=off") == true)
    }

    @Test func `without a valid configuration only the clock is checked`() {
        var facts = DoctorFacts()
        facts.now = Self.now
        facts.configuration = .wrong(["apps: is missing", "http.port: is no number"])
        let findings = facts.findings
        #expect(
            findings.map(\.status) == [.problem, .problem, .ok] + Array(repeating: .skipped, count: 6) + [.unknown])
        #expect(!DoctorReport(findings: findings).isGood)
    }

    @Test func `the clock has the same bounds as in the ingress`() {
        #expect(DoctorFacts.earliestClock == ClockSanity.earliest)
        #expect(DoctorFacts.latestClock == ClockSanity.latest)
    }

    @Test func `only a self-signed certificate can be a root`() throws {
        let pki = try Signed.pki.get()
        let root = DoctorFacts.Root(der: pki.root.der)
        #expect(!root.isBuiltIn && root.defect == nil && root.validity != nil)
        #expect(DoctorFacts.Root(der: pki.leaf.der).defect?.contains("not self-signed") == true)
        #expect(DoctorFacts.Root(der: [1, 2, 3]).defect != nil)
    }

    @Test func `the help has examples`() async {
        let (exitCode, printed) = await sluicectl(["doctor", "--help"])
        #expect(exitCode == 0)
        #expect(printed.output.contains("  sluicectl doctor --jws body.json"))
    }

    @Test func `only the ingress's own arguments are passed to it`() {
        let line = DoctorCommandLine(
            [
                "--output", "json", "doctor", "--for", "sluice-ingress", "--jws=-", "--http.port", "1", "--config", "a",
                "--certificates", "c",
            ],
            name: "doctor", ownKeys: DoctorSettings.ownKeys, environment: ["SLUICE_CONFIG": "b"])
        #expect(line.arguments == ["--http.port", "1", "--config", "a"])
        #expect(line.configurationFile == "a")
    }
}
