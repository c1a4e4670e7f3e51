internal import Configuration
internal import HTTPClient
internal import Kafka
package import PipelineRuntime
internal import Records
internal import ServiceKit
internal import Telemetry

/// `sluice-webhooks`: the entitlement topics in, a signed POST for each state out.
package enum WebhooksApplication {
    package static let application = ConsumerApplication(
        name: "sluice-webhooks",
        summary: "Posts each new state of a purchase or subscription to your service, signed, until it has it.",
        discussion: """
            The body is the record's value, byte for byte; {"environment":…,"erased":true,"key":…} for an erasure. \
            Headers as in the Standard Webhooks specification: webhook-id (the same in every attempt), \
            webhook-timestamp, webhook-signature. 2xx is accepted. 408, 425, 429 and 5xx, no answer, and what speaks \
            of the receiver (401, 403, 404, 405, 407, 410, 421, 426, redirects) are retried indefinitely; another 4xx \
            is dead-lettered after consumer.attempts, unless the receiver refuses everything.

            One process group a receiver: another receiver is another kafka.group.id.

            Exit codes: 0 stopped as asked, 1 something outside failed, 64 usage, 66 records were deleted before they \
            were read, 78 configuration.
            """,
        adminPort: WebhooksSettings.adminPort, schema: WebhooksSettings.schema,
        examples: [
            .init("echo whsec_$(openssl rand -base64 32) > /run/secrets/webhooks", "A key, for both sides."),
            .init(
                """
                sluice-webhooks --kafka.bootstrap.servers kafka-1:9092 --webhooks.url https://api.example.com/purchases \
                --webhooks.secret.file /run/secrets/webhooks
                """, "Production states to one receiver."),
        ],
        topics: { configuration in
            let plan = try WebhooksPlan(configuration)
            let names = plan.environments.map(plan.topics.entitlements)
            return ConsumerTopics(
                input: plan.topics.state().filter { names.contains($0.name) }.map {
                    KafkaTopicExpectation(topic: $0.name, createdWith: $0.settings)
                })
        },
        build: { context in
            let plan = try WebhooksPlan(context.configuration)
            // The bound of requests under way is that of the partitions: what is beyond would only fail.
            let client = HTTPClient(
                HTTPClient.Configuration(
                    trustRootsFile: plan.rootsFile, maximumInFlight: 4096, maximumIdleConnections: 64))
            let handler = WebhooksHandler(
                plan, attempts: context.configuration[ConsumerSettings.attempts], client: client,
                metrics: WebhooksMetrics(context.metrics), logger: context.logger)
            var options = context.options
            options.concurrency = plan.concurrency
            return ConsumerParts(handler: .records(handler), options: options)
        })
}
