package import AppStoreVerification
package import Configuration
package import Kafka
package import Story

/// The services' contributions to `sluicectl`. The executable assembles them.
package struct SluicectlParts: Sendable {
    /// An executable whose configuration can be checked and shown.
    package struct Executable: Sendable {
        /// The executable's name, as operators type it.
        package let name: String
        /// The executable's settings.
        package let schema: ConfigurationSchema
        /// Whether an installation may omit the executable. If so, it is checked only if it is selected or one of its
        /// own settings is set.
        package let isOptional: Bool
        /// Throws the errors that the schema alone does not cover: everything else that would make startup fail. Does
        /// not start anything.
        package let check: @Sendable (Configuration) throws(ConfigurationError) -> Void
        /// Returns everything that the executable, with a valid configuration, needs outside its own process.
        package let dependencies: @Sendable (Configuration) throws -> Dependencies

        package init(
            name: String, schema: ConfigurationSchema, isOptional: Bool = false,
            dependencies: @escaping @Sendable (Configuration) throws -> Dependencies = { _ in Dependencies() },
            check: @escaping @Sendable (Configuration) throws(ConfigurationError) -> Void
        ) {
            self.name = name
            self.schema = schema
            self.isOptional = isOptional
            self.check = check
            self.dependencies = dependencies
        }
    }

    /// Apps and root certificates, as the ingress reads them.
    package struct Verification: Sendable {
        /// Settings for apps and root certificates. None is required.
        package let schema: ConfigurationSchema
        /// The pinned root certificates, each as DER.
        package let roots: @Sendable (Configuration) throws(ConfigurationError) -> [[UInt8]]
        /// The configured apps, if any.
        package let apps: @Sendable (Configuration) throws(ConfigurationError) -> [AppIdentity]

        package init(
            schema: ConfigurationSchema,
            roots: @escaping @Sendable (Configuration) throws(ConfigurationError) -> [[UInt8]],
            apps: @escaping @Sendable (Configuration) throws(ConfigurationError) -> [AppIdentity]
        ) {
            self.schema = schema
            self.roots = roots
            self.apps = apps
        }
    }

    /// One delivery to a webhook receiver.
    package struct Delivery: Sendable {
        package let isAccepted: Bool
        /// A one-sentence description.
        package let text: String
        /// A JSON object for scripts.
        package let json: [UInt8]

        package init(isAccepted: Bool, text: String, json: [UInt8]) {
            self.isAccepted = isAccepted
            self.text = text
            self.json = json
        }
    }

    /// Sends deliveries to a webhook receiver in the same way as sluice-webhooks.
    package struct Webhooks: Sendable {
        /// The settings of sluice-webhooks that determine the content, URL and signature of its requests.
        package let schema: ConfigurationSchema
        /// Returns the configuration of the named receiver; nil selects the only receiver.
        package let receiver: @Sendable (String?, Configuration) throws -> Configuration
        /// Posts a test delivery.
        package let test: @Sendable (Configuration) async throws -> Delivery
        /// Reposts the record with the given webhook-id.
        package let resend: @Sendable (String, Configuration, KafkaConfiguration) async throws -> Delivery
        /// Reposts the dead letters from a topic, and reports each delivery.
        package let resendFailed: ResendFailed

        /// A function that posts dead letters. Its parameters include the topic, the earliest time in milliseconds
        /// since 1970, and the rate per second.
        package typealias ResendFailed =
            @Sendable (
                _ topic: KafkaTopic, _ since: Int64?, _ rate: Int, Configuration, KafkaConfiguration,
                _ report: (Delivery) async throws -> Void
            ) async throws -> Void

        package init(
            schema: ConfigurationSchema,
            receiver: @escaping @Sendable (String?, Configuration) throws -> Configuration = { $1 },
            test: @escaping @Sendable (Configuration) async throws -> Delivery,
            resend: @escaping @Sendable (String, Configuration, KafkaConfiguration) async throws -> Delivery,
            resendFailed: @escaping ResendFailed
        ) {
            self.schema = schema
            self.receiver = receiver
            self.test = test
            self.resend = resend
            self.resendFailed = resendFailed
        }
    }

    /// The executables' settings that determine their Kafka permissions.
    package struct Access: Sendable {
        package let schema: ConfigurationSchema
        package let options: @Sendable (Configuration) -> AccessOptions

        package init(schema: ConfigurationSchema, options: @escaping @Sendable (Configuration) -> AccessOptions) {
            self.schema = schema
            self.options = options
        }
    }

    /// The rules of sluice-entitlements, used to explain its decisions.
    package struct Entitlements: Sendable {
        /// The settings of sluice-entitlements that affect its decisions.
        package let schema: ConfigurationSchema
        package let model: @Sendable (Configuration) throws(ConfigurationError) -> StoryModel

        package init(
            schema: ConfigurationSchema,
            model: @escaping @Sendable (Configuration) throws(ConfigurationError) -> StoryModel
        ) {
            self.schema = schema
            self.model = model
        }
    }

    package let executables: [Executable]
    package let verification: Verification
    package let webhooks: Webhooks?
    package let access: Access?
    package let entitlements: Entitlements?
    /// Publishes the records of `sluicectl archive`: decisions, accesses and findings.
    var publishing = RecordPublishing.kafka

    /// - Parameters:
    ///   - webhooks: nil omits the webhooks commands.
    ///   - access: nil omits the commands that require the executables' access settings.
    ///   - entitlements: nil omits `explain`.
    package init(
        executables: [Executable], verification: Verification, webhooks: Webhooks? = nil, access: Access? = nil,
        entitlements: Entitlements? = nil
    ) {
        self.executables = executables
        self.verification = verification
        self.webhooks = webhooks
        self.access = access
        self.entitlements = entitlements
    }

    /// The keys that the executables and this tool read from the shared file and environment.
    var sharedKeys: [String] {
        (executables.map(\.schema) + [OperationsSettings.inFiles]).flatMap(\.sharedKeys)
    }
}
