package import AppStoreSettings
package import AppStoreVerification
package import HTTPClient
package import HTTPServer
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
    /// Of which version 1 and older notifications are accepted.
    package var legacyApps: [AppStoreSettings.LegacyApp] = []
    package var workers: Int
    package var rememberedNotifications: Int
    package var quarantineBytesPerHour: Int
    /// Networks of one's own proxies, as `10.0.0.0/8`.
    package var proxies: [String]
    /// How they name the client.
    package var forwarded = ForwardedAddress.off
    /// How long their connections may be idle.
    package var proxyIdleTime = Limits.public.proxyIdleTime
    /// How OCSP responders are reached.
    package var http = HTTPClient.Configuration()
    /// ``KafkaProducer/Options/slowAfter``: half the time in which a request must be answered.
    package var slowAfter: Duration? = Limits.public.handlerTime / 2
    /// How long a stopping ingress goes on accepting after `/readyz` says no: a load balancer has to ask, and to be
    /// answered, before it sends no more.
    package var acceptsAfterReadiness = Duration.seconds(2)
}
