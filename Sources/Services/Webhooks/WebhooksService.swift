internal import Configuration
internal import HTTPClient
internal import Kafka
internal import PipelineRuntime
internal import Records
internal import ServiceKit
internal import Telemetry

/// The assembled components of `sluice-webhooks`.
struct WebhooksService {
    let handler: WebhooksHandler
    let attempts = AttemptLog()
    /// The service that reads Apple's certificates; nil if no message contains Apple's own bodies.
    let certificates: CertificatesService?
    let options: PipelineOptions

    /// - Throws: a `StartupError` if the data directory is unusable.
    init(_ configuration: WebhooksConfiguration, _ context: ConsumerContext, metrics: WebhooksMetrics) throws {
        // The number of partitions limits the number of concurrent requests. A lower limit here would only cause
        // failures.
        var http = configuration.http
        http.maximumInFlight = 4096
        http.maximumIdleConnections = 64
        let topic = configuration.topics.certificates
        certificates =
            configuration.content == .signed
            ? try CertificatesService(context.kafka, topic: topic, logger: context.logger) : nil
        let directory = certificates?.directory ?? CertificateDirectory()
        handler = WebhooksHandler(
            configuration, refusals: context.configuration[ConsumerSettings.attempts],
            reading: MessageReading(configuration.content, configuration.topics, certificates: directory),
            client: HTTPClient(http), attempts: attempts, metrics: metrics, logger: context.logger,
            receiver: ReceiverEvents(context.events, group: context.group.rawValue),
            failures: FailuresFile(
                group: context.group.rawValue, in: context.configuration[ConsumerSettings.dataDirectory],
                log: RateLimitedLogger(context.logger, perSecond: 1)),
            readCertificates: { [kafka = context.kafka] in
                (try? await CertificatesService.readAll(kafka, topic, into: directory)) != nil
            })
        var options = context.options
        options.concurrency = configuration.concurrency
        // A record that the receiver cannot process must not block its partition, so only the number of unfinished
        // records limits the window.
        options.maximumDistance = .max
        self.options = options
    }
}
