package import AppStoreSettings
package import AppStoreVerification
package import HTTPClient
package import HTTPServer
package import Kafka
package import Records
package import ServiceKit

/// The validated parameters of an ingress, created from a configuration or by a test.
package struct IngressConfiguration: Sendable {
    package var kafka: KafkaConfiguration
    package var topics: TopicNames
    package var profile: DeploymentProfile
    package var host: String
    package var port: Int
    package var adminHost: String
    package var adminPort: Int
    package var verifier: VerifierConfiguration
    /// Apps for which notifications of version 1 and earlier are accepted.
    package var legacyApps: [AppStoreSettings.LegacyApp] = []
    package var workers: Int
    package var rememberedNotifications: Int
    package var quarantineBytesPerHour: Int
    /// The networks of the operator's own proxies, such as `10.0.0.0/8`.
    package var proxies: [String]
    /// The header in which the proxies report the client's address.
    package var forwarded = ForwardedAddress.off
    /// The maximum idle time of connections from proxies.
    package var proxyIdleTime = Limits.public.proxyIdleTime
    /// The HTTP client configuration for OCSP requests.
    package var http = HTTPClient.Configuration()
    /// The value of ``KafkaProducer/Options/slowAfter``: half of the response time limit.
    package var slowAfter: Duration? = Limits.public.handlerTime / 2
    /// Whether operator events are published.
    package var publishesOperatorEvents = false
    /// How long a stopping ingress still accepts connections after `/readyz` fails. A load balancer keeps sending
    /// requests until it has polled `/readyz`.
    package var acceptsAfterReadiness = Duration.seconds(2)
}
