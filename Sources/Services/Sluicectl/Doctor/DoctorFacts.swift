internal import AppStoreServerAPI
internal import AppStoreSettings
internal import Cryptography
internal import Kafka
internal import Records
internal import ServiceKit

/// Facts about an executable and its environment, from which the findings are derived.
struct DoctorFacts {
    enum Configured {
        /// A valid configuration; `file` is nil if all settings come from the environment and flags, and `apps` is nil
        /// if the executable has no apps.
        case good(apps: Int?, profile: DeploymentProfile, file: String?)
        /// An invalid configuration, with one line per error.
        case wrong([String])
    }

    struct Root {
        let subject: String
        /// SHA-256 in lower-case hexadecimal.
        let fingerprint: String
        let isBuiltIn: Bool
        /// The reason that this cannot be a trust anchor, such as a missing self-signature, or nil if it can be one.
        let defect: String?
        /// The validity, or nil if the dates cannot be read.
        let validity: CertificateValidity?
    }

    /// An OCSP responder's response for one certificate.
    enum Answer {
        case good, revoked
        /// A response without a usable status; the value is the reason code.
        case nothing(String)
        case unreachable(String)
        /// The certificate lists no responder.
        case noAddress
    }

    enum Responders {
        /// No certificates were supplied.
        case notAsked
        /// Certificates were supplied, but there is no responder to query.
        case unusable(String)
        case asked([(subject: String, address: String?, answer: Answer)])
    }

    /// The App Store Server API's response for one app in one environment.
    struct APIAnswer {
        let bundleId: String
        let environment: String
        /// The failure, or nil on success.
        let failure: APIError?
        /// This machine's clock minus Apple's, in milliseconds, or nil if Apple's time is unknown.
        let clockDifference: Int64?
    }

    enum API {
        /// There is no readable configuration.
        case notAsked
        /// No app has a key.
        case notConfigured
        /// An API setting is invalid.
        case wrong(String)
        case asked([APIAnswer], warnings: [AppStoreSettings.Warning])
    }

    enum Brokers {
        /// The brokers are unknown, because there is no valid configuration.
        case unknown
        case silent(String, fix: String)
        case answering(clusterId: String, isEmbedded: Bool)
    }

    /// The executable whose dependencies are checked.
    var executable = DoctorCommand.defaultExecutable
    /// Whether the executable verifies data signed by Apple.
    var verifies = true
    var configuration = Configured.wrong([])
    /// The current time in milliseconds since 1970.
    var now: Int64 = 0
    /// The roots, or nil if there is no valid configuration.
    var roots: [Root]?
    var responders = Responders.notAsked
    var api = API.notAsked
    /// Apps that accept version 1 notifications but have no API key.
    var unconfirmableApps: [String] = []
    var bootstrapServers = ""
    var brokers = Brokers.unknown
    var topicNames = TopicNames()
    /// The topics that the executable requires at startup.
    var expectations = TopicNames().ingress().map(\.expectation)
    /// The value of `kafka.security.protocol`, in upper case.
    var securityProtocol = "PLAINTEXT"
    /// The SASL mechanism, if the protocol uses SASL.
    var mechanism: String?
    /// The reason that the brokers do not respond, or nil if unknown.
    var trouble: KafkaTrouble.Cause?
    /// Findings about names and connections.
    var network: [DoctorFinding] = []
    /// Findings about Kafka permissions.
    var rights: [DoctorFinding] = []
    /// Findings about ports, directories, servers and buckets.
    var surroundings: [DoctorFinding] = []
    /// The existing topics, or nil if they could not be read.
    var topics: [KafkaTopicDescription]?
    /// The reason that ``topics`` is nil.
    var topicsError: KafkaError?
    /// Topics that were not found and that the command's user may not describe.
    var deniedTopics: Set<KafkaTopic> = []
    /// The version of librdkafka if SCRAM is configured and Kafka 4 refuses this version's SCRAM; otherwise nil.
    var scramRefusedByKafka4: String?
    /// `message.max.bytes` of the ingress's producer.
    var producerMessageMaxBytes: Int?

    /// Whether the executable is the ingress, which requires more checks.
    var isIngress: Bool { executable == DoctorCommand.defaultExecutable }
}
