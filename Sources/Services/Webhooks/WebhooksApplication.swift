internal import Configuration
internal import HTTPClient
internal import Kafka
internal import Lifecycle
package import PipelineRuntime
internal import Records
internal import ServiceKit
internal import Telemetry

/// `sluice-webhooks` reads the entitlement or notification topics and sends a signed POST for each record.
package enum WebhooksApplication {
    package static let application = ConsumerApplication(
        name: "sluice-webhooks",
        summary: "Posts each new state of a purchase, or each notification, to your service, signed and with retries.",
        discussion: """
            Body and headers follow the Standard Webhooks specification: type, timestamp and data; webhook-id (the \
            same in every attempt), webhook-timestamp, webhook-signature. With webhooks.content=signed the body is \
            Apple's. 2xx means accepted. 408, 425, 5xx, a timeout, and responses that indicate a misconfigured \
            receiver (401, 403, 404, 405, 407, 421, 426, redirects) are retried until only this record has failed \
            webhooks.failures times over webhooks.failures.time while others were accepted; then it is dead-lettered. \
            429, connection failures and TLS failures are retried indefinitely. 410 stops deliveries. After any other \
            4xx the record is dead-lettered after consumer.attempts, unless the receiver rejects every record.

            Each receiver has its own consumer group: list several receivers of one process in webhooks.receivers, or \
            run separate processes with different webhooks.group.id.

            Exit codes: 0 stopped normally, 1 external failure, 64 usage, 65 a topic is damaged, 66 records were \
            deleted before they were read, 78 configuration.
            """,
        adminPort: WebhooksSettings.adminPort, schema: WebhooksSettings.schema,
        examples: [
            .init(
                "echo whsec_$(openssl rand -base64 32) > /run/secrets/webhooks", "Create a key for sender and receiver."
            ),
            .init(
                """
                sluice-webhooks --kafka.bootstrap.servers kafka-1:9092 --webhooks.url https://api.example.com/purchases \
                --webhooks.secret.file /run/secrets/webhooks
                """, "Post production states to one receiver."),
            .init(
                """
                sluice-webhooks --kafka.bootstrap.servers kafka-1:9092 --webhooks.receivers crm,billing \
                --webhooks.secret.file /run/secrets/webhooks --webhooks.receivers.crm.url https://crm.example.com/in \
                --webhooks.receivers.billing.url https://billing.example.com/in
                """, "Two receivers, each with its own group: sluice-webhooks-crm and sluice-webhooks-billing."),
        ],
        consumers: { try WebhooksSettings.consumers($0) },
        topics: { configuration in
            let plan = try WebhooksPlan(configuration)
            func expectations(_ specifications: [TopicSpecification]) -> [KafkaTopicExpectation] {
                specifications.map { KafkaTopicExpectation(topic: $0.name, createdWith: $0.settings) }
            }
            let names = plan.environments.map { plan.content.topic(plan.topics, $0) }
            return ConsumerTopics(
                input: expectations(plan.content.specifications(plan.topics).filter { names.contains($0.name) }),
                others: plan.content == .signed
                    ? expectations(plan.topics.ingress().filter { $0.name == plan.topics.certificates }) : [],
                control: expectations([plan.topics.controlTopic]).first)
        },
        build: { context in
            let plan = try WebhooksPlan(context.configuration)
            let metrics = WebhooksMetrics(context.metrics)
            guard !context.configuration[WebhooksSettings.paused] else {
                metrics.paused()
                context.logger.warning("webhooks.paused is set; nothing is delivered")
                return ConsumerParts(handler: nil)
            }
            // The number of partitions bounds the number of concurrent requests. A lower limit here would only cause
            // failures.
            var http = plan.http
            http.maximumInFlight = 4096
            http.maximumIdleConnections = 64
            let client = HTTPClient(http)
            var services: [any Service] = []
            var certificates = CertificateDirectory()
            if plan.content == .signed {
                let service = try CertificatesService(
                    context.kafka, topic: plan.topics.certificates, logger: context.logger)
                certificates = service.directory
                services.append(service)
            }
            let attempts = AttemptLog()
            let handler = WebhooksHandler(
                plan, refusals: context.configuration[ConsumerSettings.attempts],
                reading: MessageReading(plan.content, plan.topics, certificates: certificates), client: client,
                attempts: attempts, metrics: metrics, logger: context.logger,
                failures: FailuresFile(
                    group: context.group.rawValue, in: context.configuration[ConsumerSettings.dataDirectory],
                    log: RateLimitedLogger(context.logger, perSecond: 1)),
                readCertificates: { [kafka = context.kafka, certificates] in
                    let topic = plan.topics.certificates
                    return (try? await CertificatesService.readAll(kafka, topic, into: certificates)) != nil
                })
            var options = context.options
            options.concurrency = plan.concurrency
            // A record that the receiver cannot process must not block its partition, so only the number of unfinished
            // records bounds the window.
            options.maximumDistance = .max
            return ConsumerParts(
                handler: .records(handler), services: services, options: options,
                pages: [AdminPage(path: "/webhooks/attempts") { attempts.json }])
        })
}
