package import AppStoreVerification
package import Kafka
package import Records
package import ServiceKit

/// Everything an ingress needs to know, checked; made from a configuration or by a test.
package struct IngressPlan: Sendable {
    package var kafka: KafkaConfiguration
    package var topics: TopicNames
    package var profile: DeploymentProfile
    package var host: String
    package var port: Int
    package var adminHost: String
    package var adminPort: Int
    package var verifier: VerifierConfiguration
    package var workers: Int
    package var rememberedNotifications: Int
    package var quarantineBytesPerHour: Int
    /// Networks whose connections are not limited per second, as `10.0.0.0/8`.
    package var trustedProxies: [String]
}
