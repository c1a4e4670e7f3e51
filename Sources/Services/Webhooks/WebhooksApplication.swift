internal import CommandLine
internal import Configuration
package import PipelineRuntime
internal import Records
internal import ServiceKit
internal import Telemetry

/// `sluice-webhooks` reads the entitlement or notification topics and sends a signed POST for each record.
package enum WebhooksApplication {
    package static let application = ConsumerApplication(
        name: "sluice-webhooks",
        summary:
            "Posts signed purchase states, notifications or operator events to your service, with retries.",
        discussion: """
            Body and headers follow the Standard Webhooks specification: type, timestamp and data; webhook-id (the \
            same in every attempt), webhook-timestamp, webhook-signature. With webhooks.content=signed, the body is \
            Apple's. 2xx means accepted. 408, 425, 5xx, a timeout, and responses that indicate a misconfigured \
            receiver (401, 403, 404, 405, 407, 421, 426, redirects) are retried until the record has failed \
            webhooks.failures times over webhooks.failures.time while others were accepted; it is then dead-lettered. \
            429, connection failures and TLS failures are retried indefinitely. 410 stops deliveries. After any other \
            4xx, the record is dead-lettered after consumer.attempts, unless the receiver rejects every record.

            Each receiver has its own consumer group: list several receivers for one process in webhooks.receivers, or \
            run separate processes with different values of webhooks.group.id.

            Exit codes: 0 stopped normally, 1 external failure, 64 usage, 65 a topic is damaged, 66 records were \
            deleted before they were read, 78 configuration.
            """,
        adminPort: WebhooksSettings.adminPort, schema: WebhooksSettings.schema,
        examples: [
            .init(
                "echo whsec_$(openssl rand -base64 32) > /run/secrets/webhooks",
                "Create a key for the sender and the receiver."
            ),
            .init(
                """
                sluice-webhooks --kafka.bootstrap.servers kafka-1:9092 --webhooks.url \
                https://api.example.com/purchases --webhooks.secret.file /run/secrets/webhooks
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
            let settings = try WebhooksConfiguration(configuration)
            let topics = settings.topics
            return ConsumerTopics(
                input: topics.expectations(of: settings.content.topics(topics, settings.environments)),
                others: topics.expectations(of: settings.content == .signed ? [topics.certificates] : []),
                control: topics.controlTopic.expectation,
                operations: topics.operationsTopic.expectation)
        },
        build: { context in
            let settings = try WebhooksConfiguration(context.configuration)
            let metrics = WebhooksMetrics(context.metrics)
            guard !context.configuration[WebhooksSettings.paused] else {
                metrics.paused()
                context.logger.warning("webhooks.paused is set; nothing is delivered")
                return ConsumerParts(handler: nil)
            }
            let service = try WebhooksService(settings, context, metrics: metrics)
            return ConsumerParts(
                handler: .records(service.handler), services: service.certificates.map { [$0] } ?? [],
                options: service.options, pages: [AdminPage(path: "/webhooks/attempts") { service.attempts.json }])
        })
}
