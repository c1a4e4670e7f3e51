internal import AppStoreServerAPI
internal import AppStoreSettings
internal import Cryptography
internal import Kafka
internal import Records
internal import ServiceKit

/// Facts about an installation's ingress side; their meaning is in the findings.
struct DoctorFacts {
    enum Configured {
        /// The ingress's configuration; `file` is nil when everything comes from environment and flags.
        case good(apps: Int, profile: DeploymentProfile, file: String?)
        /// One line each.
        case wrong([String])
    }

    struct Root {
        let subject: String
        /// SHA-256 in lower-case hexadecimal.
        let fingerprint: String
        let isBuiltIn: Bool
        /// Why it cannot be an anchor: not signed by itself, or not a certificate; nil when it can.
        let defect: String?
        /// Nil when the dates cannot be read.
        let validity: CertificateValidity?
    }

    /// A responder's answer for one certificate.
    enum Answer {
        case good, revoked
        /// It answered without a usable status; the reason's code.
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

    /// What the App Store Server API answered for one app in one environment.
    struct APIAnswer {
        let bundleId: String
        let environment: String
        /// Nil for a success.
        let failure: APIFailure?
        /// This machine's clock less Apple's, in milliseconds; nil when Apple's is not known.
        let clockDifference: Int64?
    }

    enum API {
        /// There is no readable configuration.
        case notAsked
        /// No app has a key.
        case notConfigured
        /// A setting of it is wrong.
        case wrong(String)
        case asked([APIAnswer], warnings: [AppStoreSettings.Warning])
    }

    enum Brokers {
        /// Not determined by the configuration.
        case unknown
        case silent(String, fix: String)
        case answering(clusterId: String, isEmbedded: Bool)
    }

    var configuration = Configured.wrong([])
    /// Milliseconds since 1970.
    var now: Int64 = 0
    /// Nil when not determined by the configuration.
    var roots: [Root]?
    var responders = Responders.notAsked
    var api = API.notAsked
    /// Apps that take version 1 notifications, and have no key of the API.
    var unconfirmableApps: [String] = []
    var bootstrapServers = ""
    var brokers = Brokers.unknown
    var topicNames = TopicNames()
    /// Existing topics; nil when they could not be read.
    var topics: [KafkaTopicDescription]?
    /// Why ``topics`` is nil.
    var topicsError: KafkaError?
    /// Missing topics that the user of the command may not describe.
    var deniedTopics: Set<KafkaTopic> = []
    /// librdkafka's version where Kafka 4 refuses the SCRAM that is configured; nil otherwise.
    var scramRefusedByKafka4: String?
    /// `message.max.bytes` of the ingress's producer.
    var producerMessageMaxBytes: Int?
}
