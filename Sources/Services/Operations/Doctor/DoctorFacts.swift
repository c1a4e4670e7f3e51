internal import AppStoreServerAPI
internal import AppStoreSettings
internal import Cryptography
internal import Kafka
internal import Records
internal import ServiceKit

/// Facts about an installation's ingress side; the findings interpret them.
struct DoctorFacts {
    enum Configured {
        /// The ingress's configuration; `file` is nil when everything comes from environment and flags.
        case good(apps: Int, profile: DeploymentProfile, file: String?)
        /// One line for each error.
        case wrong([String])
    }

    struct Root {
        let subject: String
        /// SHA-256 in lower-case hexadecimal.
        let fingerprint: String
        let isBuiltIn: Bool
        /// The reason why it cannot be a trust anchor: not self-signed, or not a certificate; nil when it can.
        let defect: String?
        /// Nil when the dates cannot be read.
        let validity: CertificateValidity?
    }

    /// A responder's answer for one certificate.
    enum Answer {
        case good, revoked
        /// A response without a usable status, with the reason's code.
        case nothing(String)
        case unreachable(String)
        /// The certificate names no responder.
        case noAddress
    }

    enum Responders {
        /// No certificates were given.
        case notAsked
        /// Certificates were given, but there is no responder to query.
        case unusable(String)
        case asked([(subject: String, address: String?, answer: Answer)])
    }

    /// The App Store Server API's response for one app in one environment.
    struct APIAnswer {
        let bundleId: String
        let environment: String
        /// Nil on success.
        let failure: APIFailure?
        /// This machine's clock minus Apple's, in milliseconds; nil when Apple's is unknown.
        let clockDifference: Int64?
    }

    enum API {
        /// No readable configuration.
        case notAsked
        /// No app has a key.
        case notConfigured
        /// A setting of the API is invalid.
        case wrong(String)
        case asked([APIAnswer], warnings: [AppStoreSettings.Warning])
    }

    enum Brokers {
        /// The configuration does not determine the brokers.
        case unknown
        case silent(String, fix: String)
        case answering(clusterId: String, isEmbedded: Bool)
    }

    var configuration = Configured.wrong([])
    /// Milliseconds since 1970.
    var now: Int64 = 0
    /// Nil when the configuration does not determine them.
    var roots: [Root]?
    var responders = Responders.notAsked
    var api = API.notAsked
    /// Apps that accept version 1 notifications but have no API key.
    var unconfirmableApps: [String] = []
    var bootstrapServers = ""
    var brokers = Brokers.unknown
    var topicNames = TopicNames()
    /// Existing topics; nil when they could not be read.
    var topics: [KafkaTopicDescription]?
    /// Why ``topics`` is nil.
    var topicsError: KafkaError?
    /// Missing topics that the command's user is not authorized to describe.
    var deniedTopics: Set<KafkaTopic> = []
    /// librdkafka's version if Kafka 4 refuses its SCRAM and SCRAM is configured; otherwise nil.
    var scramRefusedByKafka4: String?
    /// `message.max.bytes` of the ingress's producer.
    var producerMessageMaxBytes: Int?
}
