internal import Archive
internal import CommandLine
internal import Configuration
internal import Entitlements
internal import Ingress
internal import OperatorEvents
internal import PipelineRuntime
internal import Reconciler
internal import Refunds
internal import Sluicectl
internal import Webhooks

extension SluicectlParts {
    /// The contributions to `sluicectl` from this installation's services.
    static let wired = SluicectlParts(
        executables: [
            Executable(name: "sluice-ingress", schema: IngressConfiguration.schema, dependencies: { try .ingress($0) })
            {
                configuration throws(ConfigurationError) in _ = try IngressConfiguration(configuration)
            },
            Executable(
                name: "sluice-entitlements", schema: EntitlementsApplication.application.command.schema,
                dependencies: { try .entitlements($0) }
            ) { configuration throws(ConfigurationError) in try EntitlementsSettings.check(configuration) },
            Executable(
                name: "sluice-refunds", schema: RefundsApplication.application.command.schema, isOptional: true,
                dependencies: { try .refunds($0) }
            ) { configuration throws(ConfigurationError) in try RefundsSettings.check(configuration) },
            Executable(
                name: "sluice-reconciler", schema: ReconcilerApplication.application.command.schema, isOptional: true,
                dependencies: { try .consumer(ReconcilerApplication.application, $0, verifies: true) }
            ) { configuration throws(ConfigurationError) in try ReconcilerSettings.check(configuration) },
            Executable(
                name: "sluice-archive", schema: ArchiveApplication.application.command.schema, isOptional: true,
                dependencies: { try .archive($0) }
            ) { configuration throws(ConfigurationError) in try ArchiveSettings.check(configuration) },
            Executable(
                name: "sluice-webhooks", schema: WebhooksApplication.application.command.schema, isOptional: true,
                dependencies: { try .webhooks($0) }
            ) { configuration throws(ConfigurationError) in try WebhooksSettings.check(configuration) },
        ],
        verification: Verification(
            schema: ConfigurationSchema([
                IngressSettings.appsIfAny, IngressSettings.environments, IngressSettings.roots,
            ]),
            roots: { configuration throws(ConfigurationError) in try IngressConfiguration.roots(configuration) },
            apps: { configuration throws(ConfigurationError) in try IngressConfiguration.apps(configuration) }),
        webhooks: Webhooks(
            schema: WebhooksSettings.schema,
            receiver: { try WebhooksSettings.receiver($0, $1) },
            test: { Delivery(try await WebhooksOperations.test($0)) },
            resend: { Delivery(try await WebhooksOperations.resend($0, $1, kafka: $2)) },
            resendFailed: { topic, since, rate, configuration, kafka, report in
                let failed = FailedDeliveries(topic: topic, since: since, rate: rate)
                try await WebhooksOperations.resend(failed, configuration, kafka: kafka) { outcome in
                    try await report(Delivery(outcome))
                }
            }),
        access: Access(
            schema: ConfigurationSchema(
                WebhooksSettings.topicSettings + ArchiveSettings.topicSettings
                    + [ReconcilerSettings.statusesRepair, EntitlementsSettings.stories, OperatorEventSettings.events]),
            options: { configuration in
                AccessOptions(
                    webhookReceivers: WebhooksSettings.reading(configuration).map {
                        AccessOptions.WebhookReceiver(group: $0.group, inputs: $0.topics, rebuilds: $0.rebuilds)
                    },
                    archived: ArchiveSettings.archivedTopics(configuration),
                    anchorsInKafka: configuration[ArchiveSettings.anchorKafka],
                    repairsStatuses: configuration[ReconcilerSettings.statusesRepair],
                    tellsStories: configuration[EntitlementsSettings.stories],
                    publishesOperatorEvents: configuration[OperatorEventSettings.events])
            }),
        entitlements: Entitlements(
            schema: EntitlementsStory.schema,
            model: { configuration throws(ConfigurationError) in try EntitlementsStory.model(configuration) }))
}

extension SluicectlParts.Delivery {
    fileprivate init(_ outcome: FailedDeliveries.Outcome) {
        self.init(isAccepted: outcome.isAccepted, text: outcome.text, json: outcome.json)
    }

    fileprivate init(_ attempt: DeliveryAttempt) {
        self.init(isAccepted: attempt.isAccepted, text: "\(attempt.id): \(attempt.text)", json: attempt.json)
    }
}
