internal import AppStoreModel
internal import AppStoreSettings
internal import ArchiveKeys
internal import CommandLine
internal import Configuration
internal import PipelineRuntime
internal import Records
internal import RefundRules

/// Settings of `sluicectl`, in addition to the settings shared by all executables.
enum OperationsSettings {
    static let topicsPrefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "Prefix of every topic name.")
    static let entitlementsURL = Setting(
        "entitlements.url", .httpURL, default: "http://127.0.0.1:8081",
        help: "URL of the sluice-entitlements read API.")

    static let entitlementsKey = Setting<SecretFile>.secretFile(
        "entitlements.key.file", help: "File that contains sluicectl's key for the read API.",
        example: "/run/secrets/entitlements"
    ).optional

    static let output = OutputFormat.flag

    // Settings of `sluicectl webhooks`
    static let webhooksAdminURL = Setting(
        "webhooks.admin.url", .httpURL, default: "http://127.0.0.1:9468",
        help: "URL of the sluice-webhooks admin listener.")
    static let receiver = Setting.string(
        "receiver", help: "Name of the receiver, if webhooks.receivers lists several.", example: "crm"
    ).optional.onCommandLineOnly
    static let failedOnly = Setting.flag("failed", help: "Only failed attempts.")
    static let deadLettered = Setting.flag(
        "dead-lettered", help: "Post all messages from the dead letter topic named by --topic, instead of one message."
    ).formerly("failed")
    static let deadLetteredFrom = Setting(
        "from", .instant, help: "Only messages dead-lettered at or after this time."
    ).optional.onCommandLineOnly.formerly("since")
    static let attemptLimit = Setting.integer(
        "limit", default: 50, in: 1...1000, help: "Maximum number of attempts to list; the most recent ones are listed."
    ).onCommandLineOnly.formerly("count")

    // Settings of `sluicectl topics`
    static let topicsPartitions = Setting.integer(
        "topics.partitions", default: TopicSpecification.defaultPartitions, in: 1...1000,
        help:
            "Number of partitions per keyed topic. Permanent: a change would split a key's records across partitions."
    )
    static let partitions = Setting.integer("partitions", in: 1...1000, help: "Overrides topics.partitions.")
        .optional.onCommandLineOnly
    static let replicationFactor = Setting.integer(
        "replication-factor", in: 1...100,
        help: """
            Number of replicas per partition. Default: 3; with the single-node profile: 1; with durability=managed: \
            the cluster's default.
            """
    ).optional.onCommandLineOnly
    static let groups = Setting.strings(
        "groups",
        help: """
            Additional consumer groups with dead letter topics: your own, additional webhook receivers, and \
            sluice-webhooks itself if webhooks.content is not state.
            """, example: "sluice-webhooks,inbox"
    ).optional.onCommandLineOnly
    static let stateTopics = Setting.strings(
        "state-topics",
        help: """
            Compacted state topics of your own consumers, with as many partitions as the notification topics.
            """, example: "appstore.latest.production"
    ).optional.onCommandLineOnly
    static let dryRun = Setting.flag("dry-run", help: "Only print what would be created.")
    static let topicsFormat = Setting<TopicsFormat>.oneOf(
        "format", default: .text,
        help: "text prints a table; strimzi prints a Strimzi KafkaTopic resource for each topic."
    ).onCommandLineOnly
    static let strimziCluster = Setting.string(
        "cluster", help: "Name of Strimzi's Kafka resource, for --format strimzi.", example: "kafka"
    ).optional.onCommandLineOnly

    // Settings of `sluicectl tap`
    static let topic = Setting.string("topic", help: "Topic to follow.", example: "appstore.quarantine")
        .optional.onCommandLineOnly
    static let tapEnvironment = Setting(
        "environment", .environmentName,
        help: "Follow the notifications from this environment. Default: production."
    ).optional.onCommandLineOnly
    static let quarantine = Setting.flag("quarantine", help: "Follow the quarantine topic.")
    static let tapStart = Setting(
        "start", .tapStart,
        help: """
            Start position in each partition: beginning, end, or -N for the last N records. Default: end; with \
            --no-follow: beginning. --from starts at a given time instead.
            """
    ).optional.onCommandLineOnly.formerly("from") { $0 == "beginning" || $0 == "end" || $0.hasPrefix("-") }
    static let tapFrom = Setting("from", .instant, help: "Only records written at or after this time.")
        .optional.onCommandLineOnly
    static let recordLimit = Setting.integer("limit", in: 1...Int.max, help: "Stop after this many records.")
        .optional.onCommandLineOnly.formerly("count")
    static let signed = Setting.flag(
        "signed", help: "Print the notifications as Apple signed them: a compact JWS on each line.")
    static let noFollow = Setting.flag("no-follow", help: "Stop at the end of all partitions.")

    // Settings of `sluicectl quarantine` and `sluicectl dlq`
    static let after = Setting(
        "after", .position, help: "Start after this position, the last one printed by an earlier run."
    ).optional.onCommandLineOnly
    static let rate = Setting.integer(
        "rate", default: 50, in: 1...100_000, help: "Maximum number of records per second."
    ).onCommandLineOnly
    static let quarantineReason = Setting.string(
        "reason-code", help: "Only records with this reason.", example: "profile_audience"
    ).optional.onCommandLineOnly.formerly("reason")
    static let recordApp = Setting.string("app", help: "Only records for this app.", example: "com.example.app")
        .optional.onCommandLineOnly.formerly("bundle")
    static let atReceipt = Setting.flag(
        "at-receipt", help: "Verify certificates as of the time of receipt instead of now.")
    static let deadLetterTopic = Setting.string(
        "topic", help: "Name of the dead letter topic.",
        example: "appstore.notifications.production.sluice-entitlements.dlq"
    ).optional.onCommandLineOnly

    // Settings of `sluicectl verify`
    static let verifyAt = Setting(
        "at", .instant, help: "Verify as of this time. Default: now."
    ).optional.onCommandLineOnly
    static let payload = Setting.flag(
        "payload", help: "Print the decoded payloads as signed, if verification succeeds.")

    // Settings of `sluicectl entitlements`
    static let environment = Setting(
        "environment", .environmentName, default: .production, help: "Environment of the purchases."
    ).onCommandLineOnly
    static let entitledAt = Setting("at", .instant, help: "Entitlements as of this time. Default: now.")
        .optional.onCommandLineOnly

    static let isAppTransaction = Setting.flag("app-transaction", help: "The id is an appTransactionId.")
    static let isTransaction = Setting.flag(
        "transaction", help: "The id is any transactionId of the purchase, such as a renewal's.")
    static let app = Setting.string(
        "app", help: "The app, if several have a purchase with this id.", example: "com.example.app"
    ).optional.onCommandLineOnly.formerly("bundle")
    static let claimTransfer = Setting.flag(
        "transfer", help: "Move the purchase from its current account; requires --signed-transaction.")
    static let claimProof = Setting.string(
        "signed-transaction",
        help:
            "File with the purchase's signed transaction (compact JWS) as proof of purchase; use - for standard input.",
        example: "transaction.jws"
    ).optional.onCommandLineOnly
    static let unclaimed = Setting.flag("unclaimed", help: "Only purchases without an account.")
    static let listLimit = Setting.integer("limit", default: 100, in: 1...1000, help: "Number of purchases per page.")
        .onCommandLineOnly
    static let refundLimit = Setting.integer("limit", default: 100, in: 1...1000, help: "Maximum number of cases.")
        .onCommandLineOnly
    static let listAfter = Setting.string(
        "after-key", help: "Last key of the previous page.", example: "com.example.app/2000000000000001"
    ).optional.onCommandLineOnly.formerly("after")
    static let yes = Setting.flag("yes", help: "Make the changes. Otherwise, the command only prints them.")
    static let entitlementsGroup = ConsumerSettings.group(of: "sluice-entitlements")

    // Settings of `sluicectl cluster`
    /// The executables with a consumer group, each with the setting for the group's name.
    static let clusterGroups: [(executable: String, setting: Setting<String>)] =
        [("sluice-entitlements", entitlementsGroup)]
        + ["sluice-refunds", "sluice-reconciler", TopicNames.archiveGroup, TopicNames.webhooksGroup].map {
            ($0, ConsumerSettings.group(of: $0))
        }
    static let clusterSource = Setting.readableFile(
        "source", help: "Properties file with the old cluster's kafka settings.",
        example: "old.properties"
    ).optional.onCommandLineOnly
    static let deliveredUntil = Setting(
        "webhooks-from", .instant,
        help:
            """
            Time up to which all webhooks were delivered. Delivery resumes ten minutes before this time, not at the \
            beginning.
            """
    ).optional.onCommandLineOnly
    static let despiteProblems = Setting.flag(
        "despite-problems", help: "Switch even if prepare finds problems that can no longer be fixed.")

    // Settings of `sluicectl state`
    static let stateSource = Setting.string(
        "topic", help: "The state topic to copy.", example: "appstore.entitlements.production"
    ).onCommandLineOnly
    static let stateTarget = Setting.string(
        "to-topic", help: "The topic to copy the state to.", example: "appstore2.entitlements.production"
    ).onCommandLineOnly
    static let stateGroup = Setting.string(
        "group", help: "The consumer group that owns the state, if the group is not one of Sluice's.", example: "inbox"
    ).optional.onCommandLineOnly
    static let despiteUnread = Setting.flag(
        "despite-unread",
        help: "Copy even if the group has not handled all of its input. You must then handle the rest yourself.")

    // Settings of `sluicectl api`
    static let statusesOfAll = Setting.flag("all", help: "Include subscriptions without version 1 notifications.")
    static let apiApp = Setting.string(
        "app", help: "The app, if several are configured.", example: "com.example.app"
    ).optional.onCommandLineOnly.formerly("bundle")
    static let apiLimit = Setting.integer(
        "limit", default: 100, in: 1...100_000, help: "Stop after the page that reaches this number of transactions."
    ).onCommandLineOnly
    static let apiRevision = Setting.string(
        "revision", help: "Only transactions changed since the earlier listing that printed this revision.",
        example: "1698148900000_2000000000000001"
    ).optional.onCommandLineOnly
    static let testWait = Setting.duration(
        "wait", default: .seconds(120), in: .zero...(.seconds(600)),
        help: "Time to wait for Apple's delivery report; with 0s, the report is not requested."
    ).onCommandLineOnly

    // Settings of `sluicectl refunds`
    static let answerStatus = Setting<AnswerStatus>(
        "status", .oneOf(AnswerStatus.allCases, text: \.rawValue), help: "Only cases whose answer has this status."
    ).optional.onCommandLineOnly
    static let refundOutcome = Setting<RefundOutcome>.oneOf(
        "outcome", default: .noPreference, help: "Preference to send to Apple, or doNotAnswer."
    ).onCommandLineOnly
    static let customerConsented = Setting.flag(
        "consented",
        help: "Confirm that the customer consents to share this data with Apple. Otherwise, nothing is sent.")
    static let roundGap = AppStoreSettings.refundRoundGap
    static let deliveryStatus = Setting<DeliveryStatus>(
        "delivery-status", .oneOf(DeliveryStatus.allCases, text: \.rawValue),
        help: "Whether the app delivered the purchase."
    ).optional.onCommandLineOnly
    static let sampleContentProvided = Setting.flag(
        "sample-content", help: "A sample, trial or description was available before the purchase.")
    static let noSampleContent = Setting.flag(
        "no-sample-content", help: "No sample, trial or description was available before the purchase.")
    static let again = Setting.flag(
        "again",
        help: "Open a new round for this answer if a different answer was frozen, withheld, refused or missed.")
    static let statisticsBy = Setting(
        "by", ValueKind.list(of: .oneOf(RefundStatistics.Dimension.allCases, text: \.rawValue)),
        default: [.rule, .answer, .reason],
        help: "Fields by which rounds are grouped."
    ).onCommandLineOnly
    static let refundsFrom = Setting(
        "from", .instant, help: "Only notifications signed by Apple at or after this time."
    ).optional
        .onCommandLineOnly
    static let refundsTo = Setting(
        "to", .instant, help: "Only notifications signed by Apple before this time. Default: now."
    ).optional
        .onCommandLineOnly
    static let triedRules = Setting.readableFile(
        "rules", help: "Rules file to try.", example: "refund-rules.json"
    ).onCommandLineOnly
    static let fromArchive = Setting.flag(
        "from-archive",
        help: "Read the cases from the archive instead of Kafka, including cases that Kafka no longer contains.")
    static let rulesInForce = Setting.readableFile(
        "refunds.rules", help: "Rules file to compare with. Default: the recorded answers.",
        example: "/etc/sluice/refund-rules.json"
    ).optional
    static let preferenceConsent = Setting<Bool>(
        "consent", .oneOf([true, false], text: { $0 ? "true" : "false" }),
        help: "Whether the customer consents to share consumption data with Apple."
    ).optional.onCommandLineOnly
    static let statedAt = Setting("stated-at", .instant, help: "Time of the customer's statement. Default: now.")
        .optional.onCommandLineOnly.formerly("since")
    static let preferenceOutcome = Setting<RefundOutcome>(
        "preference", .oneOf(RefundOutcome.allCases, text: \.rawValue), help: "Preference to send to Apple."
    ).optional.onCommandLineOnly
    static let consumptionPercentage = Setting.integer(
        "consumption-percentage", in: 0...100_000, help: "Consumed share, in thousandths of a percent: 50000 is half."
    ).optional.onCommandLineOnly

    // Settings of `sluicectl backfill` and `sluicectl reconcile`
    static let reconcilerAdminURL = Setting(
        "reconciler.admin.url", .httpURL, default: "http://127.0.0.1:9469",
        help: "URL of the sluice-reconciler admin listener.")
    static let backfillApp = Setting.string("app", help: "Bundle id of the app.", example: "com.example.app")
        .onCommandLineOnly.formerly("bundle")
    static let backfillFrom = Setting("from", .instant, help: "Only notifications sent by Apple at or after this time.")
        .onCommandLineOnly
    static let backfillTo = Setting(
        "to", .instant, help: "Only notifications sent by Apple before this time. Default: now."
    )
    .optional.onCommandLineOnly
    static let backfillDryRun = Setting.flag("dry-run", help: "Report missing notifications without publishing them.")
    static let noWait = Setting.flag("no-wait", help: "Start the backfill without waiting for it to finish.")

    /// Settings that can be set in a file or in the environment.
    static let inFiles = ConfigurationSchema(
        [topicsPrefix, topicsPartitions, entitlementsURL, entitlementsKey, webhooksAdminURL, reconcilerAdminURL]
            + [ArchivePlace.origin, ArchivePlace.signingKeys, ArchivePlace.keyEncryptionKeys, ArchivePlace.keyStore]
            + ArchivePlace.storeSettings + [ArchivePlace.index] + AppStoreSettings.apiSettings)

    /// Returns the setting that selects the executable to check.
    static func executable(of names: [String]) -> Setting<String?> {
        Setting(
            "for", .oneOf(names),
            help:
                """
                Only this executable. Default: sluice-ingress, sluice-entitlements, and every other executable with at \
                least one of its own settings set.
                """
        ).optional.onCommandLineOnly
    }
}

/// The offset at which `tap` starts in each partition.
enum TapStart: Sendable, Equatable {
    case beginning, end
    case last(Int64)
}

extension ValueKind where Value == AppStoreEnvironment {
    /// An App Store environment as operators type it: the suffix in topic names.
    static var environmentName: ValueKind { .oneOf(AppStoreEnvironment.published, text: \.topicSuffix) }
}

extension ValueKind where Value == TapStart {
    static var tapStart: ValueKind {
        ValueKind(
            name: "beginning|end|-N", expected: "beginning, end, or -N", example: "-10",
            text: { start in
                switch start {
                case .beginning: "beginning"
                case .end: "end"
                case .last(let count): "-\(count)"
                }
            }
        ) { text throws(SettingError) in
            switch text {
            case "beginning": return .beginning
            case "end": return .end
            default:
                guard text.hasPrefix("-"), let count = Int64(text.dropFirst()), (1...1_000_000_000).contains(count)
                else {
                    throw SettingError(
                        "must be beginning, end, or -N with N from 1 to 1000000000")
                }
                return .last(count)
            }
        }
    }
}

extension ValueKind where Value == AppStoreInstant {
    static var instant: ValueKind {
        ValueKind(
            name: "TIME", expected: "an RFC 3339 time", example: "2026-11-21T12:00:00Z", text: \.description
        ) { text throws(SettingError) in
            guard let instant = AppStoreInstant(rfc3339: text) else {
                throw SettingError("must be an RFC 3339 time, such as 2026-11-21T12:00:00Z")
            }
            return instant
        }
    }
}

extension ValueKind where Value == String {
    static var httpURL: ValueKind {
        ValueKind(name: "URL", expected: "an http or https URL", example: "http://127.0.0.1:8081", text: { $0 }) {
            text throws(SettingError) in
            guard text.hasPrefix("http://") || text.hasPrefix("https://"), !text.contains("?"), !text.contains("#")
            else { throw SettingError("must be a URL without a query or fragment, such as http://127.0.0.1:8081") }
            return text
        }
    }

    static func oneOf(_ names: [String]) -> ValueKind {
        let list = names.joined(separator: ", ")
        return ValueKind(
            name: "EXECUTABLE", expected: "one of \(list)", example: names.first ?? "sluice-ingress", text: { $0 }
        ) { text throws(SettingError) in
            guard names.contains(text) else { throw SettingError("must be one of \(list)") }
            return text
        }
    }
}
