internal import AppStoreModel
internal import Configuration
internal import NotificationRecord
internal import PipelineRuntime

/// Every setting of `sluicectl` beside those that all executables share.
enum OperationsSettings {
    static let topicsPrefix = Setting.string(
        "topics.prefix", default: TopicNames.defaultPrefix, help: "The first part of every topic's name.")
    static let entitlementsURL = Setting(
        "entitlements.url", .httpURL, default: "http://127.0.0.1:8081",
        help: "Where sluice-entitlements answers questions.")

    static let output = Setting<OutputFormat>.oneOf("output", default: .text, help: "For people or for programs.")
        .onCommandLineOnly

    // topics
    static let topicsPartitions = Setting.integer(
        "topics.partitions", default: TopicSpecification.defaultPartitions, in: 1...1000,
        help: "Partitions of the keyed topics. For ever: another number later would put a key into two partitions.")
    static let partitions = Setting.integer("partitions", in: 1...1000, help: "In place of topics.partitions.")
        .optional.onCommandLineOnly
    static let replicationFactor = Setting.integer(
        "replication-factor", in: 1...100,
        help: "Brokers that hold each record. Without it 3, with profile single-node 1."
    ).optional.onCommandLineOnly
    static let dryRun = Setting.flag("dry-run", help: "Say what would be created, and create nothing.")

    // tap
    static let topic = Setting.string("topic", help: "The topic to follow.", example: "appstore.quarantine")
        .optional.onCommandLineOnly
    static let tapEnvironment = Setting<EnvironmentName>.oneOf(
        "environment", help: "Follow the notifications of this environment. The default is production."
    ).optional.onCommandLineOnly
    static let quarantine = Setting.flag("quarantine", help: "Follow what was put into quarantine.")
    static let from = Setting(
        "from", .tapStart,
        help: """
            Where to begin in each partition: beginning, end, or -N for the last N records. Without it end, with \
            --no-follow beginning.
            """
    ).optional.onCommandLineOnly
    static let count = Setting.integer("count", in: 1...Int.max, help: "Stop after so many records.")
        .optional.onCommandLineOnly
    static let noFollow = Setting.flag("no-follow", help: "Stop at the end of all partitions.")

    // verify
    static let verifyAt = Setting(
        "at", .instant, help: "Judge certificates and dates at this time. Now without it."
    ).optional.onCommandLineOnly
    static let payload = Setting.flag(
        "payload", help: "Show the decoded payloads as they were signed, when everything is good.")

    // entitlements
    static let environment = Setting<EnvironmentName>.oneOf(
        "environment", default: .production, help: "Whose purchases are asked for."
    ).onCommandLineOnly
    static let entitledAt = Setting("at", .instant, help: "What held at this time. Now without it.")
        .optional.onCommandLineOnly

    static let isAppTransaction = Setting.flag("app-transaction", help: "The id is an appTransactionId.")
    static let bundle = Setting.string(
        "bundle", help: "The app, where several have a purchase of this id.", example: "com.example.app"
    ).optional.onCommandLineOnly
    static let unclaimed = Setting.flag("unclaimed", help: "Only purchases that belong to no account.")
    static let listLimit = Setting.integer("limit", default: 100, in: 1...1000, help: "At most so many.")
        .onCommandLineOnly
    static let listAfter = Setting.string(
        "after", help: "Where the page before ended.", example: "com.example.app/2000000000000001"
    ).optional.onCommandLineOnly
    static let yes = Setting.flag("yes", help: "Do it. Without it the command says what it would do.")
    static let entitlementsGroup = ConsumerSettings.group(default: "sluice-entitlements")

    /// Those that a file or the environment may hold.
    static let inFiles = ConfigurationSchema([topicsPrefix, topicsPartitions, entitlementsURL])

    /// Which executable's configuration is meant.
    static func executable(of names: [String]) -> Setting<String?> {
        Setting(
            "for", .oneOf(names),
            help: "One executable. Without it all of them but those that not every installation runs (sluice-webhooks)."
        ).optional.onCommandLineOnly
    }
}

/// How a command prints its result.
enum OutputFormat: String, CaseIterable, Sendable {
    case text, json
}

/// An environment as operators type it: the last part of topic names.
enum EnvironmentName: String, CaseIterable, Sendable {
    case production, sandbox

    var environment: RecordEnvironment {
        switch self {
        case .production: .production
        case .sandbox: .sandbox
        }
    }
}

/// Where `tap` begins in each partition.
enum TapStart: Sendable, Equatable {
    case beginning, end
    case last(Int64)
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
        ) { text throws(SettingProblem) in
            switch text {
            case "beginning": return .beginning
            case "end": return .end
            default:
                guard text.hasPrefix("-"), let count = Int64(text.dropFirst()), (1...1_000_000_000).contains(count)
                else { throw SettingProblem("is not beginning, end, or -N with N from 1 to 1000000000") }
                return .last(count)
            }
        }
    }
}

extension ValueKind where Value == AppStoreInstant {
    static var instant: ValueKind {
        ValueKind(
            name: "TIME", expected: "a time in RFC 3339", example: "2026-11-21T12:00:00Z", text: \.description
        ) { text throws(SettingProblem) in
            guard let instant = AppStoreInstant(rfc3339: text) else {
                throw SettingProblem("is not a time in RFC 3339, such as 2026-11-21T12:00:00Z")
            }
            return instant
        }
    }
}

extension ValueKind where Value == String {
    static var httpURL: ValueKind {
        ValueKind(name: "URL", expected: "an http or https URL", example: "http://127.0.0.1:8081", text: { $0 }) {
            text throws(SettingProblem) in
            guard text.hasPrefix("http://") || text.hasPrefix("https://"), !text.contains("?"), !text.contains("#")
            else { throw SettingProblem("is not a URL such as http://127.0.0.1:8081") }
            return text
        }
    }

    static func oneOf(_ names: [String]) -> ValueKind {
        let list = names.joined(separator: ", ")
        return ValueKind(
            name: "EXECUTABLE", expected: "one of \(list)", example: names.first ?? "sluice-ingress", text: { $0 }
        ) { text throws(SettingProblem) in
            guard names.contains(text) else { throw SettingProblem("is not one of \(list)") }
            return text
        }
    }
}
