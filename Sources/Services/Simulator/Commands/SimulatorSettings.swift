internal import AppStoreModel
internal import CommandLine
internal import Configuration

/// Settings of `sluice-simulator`. All are flags, because each run simulates something different.
enum SimulatorSettings {
    static let out = Setting.string(
        "out", default: "./pki", help: "Directory for the test certificates; created if it does not exist."
    ).onCommandLineOnly
    static let pki = Setting.string(
        "pki", default: "./pki",
        help: "Directory created by `sluice-simulator pki`; the payload is signed with its leaf key."
    ).onCommandLineOnly
    static let output = OutputFormat.flag
    static let body = Setting.flag("body", help: "Print the entire HTTP body instead of only the JWS.")

    static let url = Setting(
        "url", .url, help: "URL to post notifications to.", example: "http://127.0.0.1:8080/notifications"
    )
    .onCommandLineOnly
    /// An optional `url`, for commands that only post notifications caused by API requests.
    static let optionalURL = Setting(
        "url", .url, help: "URL to post notifications to. Default: nothing is posted.",
        example: "http://127.0.0.1:8080/notifications"
    ).optional.onCommandLineOnly
    static let app = Setting(
        "app", .bundleId, default: BundleId("com.example.app"), help: "Bundle id of the simulated app."
    ).onCommandLineOnly.formerly("app", if: { $0.contains(":") }, value: { String($0.prefix { $0 != ":" }) })
    static let appAppleId = Setting.integer(
        "app-apple-id", default: 1_234_567_890, in: 1...Int.max, help: "Apple's id for the simulated app."
    ).onCommandLineOnly.formerly("app", if: { $0.contains(":") }, value: { String($0.drop { $0 != ":" }.dropFirst()) })
    static let environment = Setting(
        "environment", .oneOf([AppStoreEnvironment.production, .sandbox], text: { $0.rawValue.lowercased() }),
        default: .production, help: "Environment of the notifications, which also determines the retries."
    ).onCommandLineOnly.formerly(
        "environment", if: { $0 == "Production" || $0 == "Sandbox" }, value: { $0.lowercased() })
    static let scenario = Setting(
        "scenario", .scenarios, default: "all", help: "One or more scenarios, separated by commas, or all."
    ).onCommandLineOnly
    static let accounts = Setting.integer(
        "accounts", in: 1...10_000_000,
        help: "Number of customers. Each plays one scenario, or several in sequence if --notifications requires more."
    ).optional.onCommandLineOnly
    static let notifications = Setting.integer(
        "notifications", in: 1...1_000_000_000,
        help: "Number of distinct notifications. If neither this nor --accounts is set, every scenario is played once."
    ).optional.onCommandLineOnly.formerly("count")
    static let rate = Setting.integer(
        "rate", in: 1...1_000_000, help: "Posts per second, excluding retries. Default: as fast as possible."
    ).optional.onCommandLineOnly
    static let duplicates = Setting(
        "duplicates", .percentage, default: .zero, help: "Share of the notifications that are posted twice."
    ).onCommandLineOnly
    static let disorder = Setting(
        "disorder", .percentage, default: .zero,
        help: "Share of the notifications that are posted after a later one for the same purchase."
    ).onCommandLineOnly
    static let formats = Setting(
        "formats", .formats, default: [.v2],
        help: "Comma-separated formats: v2, v1 (version 1), v0 (the status update notification, the oldest format). "
            + "Each event is sent in every listed format in which it exists. Both older formats require "
            + "--shared-secret-file."
    ).onCommandLineOnly
    static let sharedSecretFile = Setting.string(
        "shared-secret-file", help: "File that contains the app's shared secret, the `password` in formats v1 and v0.",
        example: "./shared-secret"
    ).optional.onCommandLineOnly
    static let receiptTransactions = Setting.integer(
        "receipt-transactions", default: 0, in: 0...100_000,
        help: "Minimum number of transactions in a version 1 receipt; older purchases by the customer are added."
    ).onCommandLineOnly
    static let undelivered = Setting(
        "undelivered", .percentage, default: .zero,
        help:
            "Share of the notifications that are never posted and only listed in the App Store Server "
            + "API's history. They are selected from the range that the history covers: 180 days, or 30 in the sandbox."
    ).onCommandLineOnly
    static let connections = Setting.integer(
        "connections", default: 16, in: 1...1024, help: "Maximum number of concurrent posts."
    ).onCommandLineOnly
    static let timeout = Setting.duration(
        "timeout", default: .seconds(30), in: .milliseconds(100)...Duration.minutes(10),
        help: "Timeout for an attempt."
    ).onCommandLineOnly
    static let timeScale = Setting.integer(
        "time-scale", default: 3600, in: 1...1_000_000_000,
        help: "Divisor for Apple's retry and refund delays: 3600 turns an hour into a second."
    ).onCommandLineOnly
    static let seed = Setting.integer(
        "seed", default: 1, in: 0...Int.max,
        help: "Simulation seed; the same seed plays the same scenarios for the same customers."
    ).onCommandLineOnly
    static let firstRun = Setting.integer(
        "first-run", default: 0, in: 0...100_000_000,
        help: "Index of the first scenario run. Each index has separate purchases, regardless of the seed."
    ).onCommandLineOnly
    static let asOf = Setting(
        "as-of", .instant, help: "Time at which the scenarios end. Default: now. Set it for reproducible dates."
    ).optional.onCommandLineOnly
    static let report = Setting.string(
        "report", help: "File for one JSON line per attempt and per notification that is never posted.",
        example: "report.jsonl"
    )
    .optional.onCommandLineOnly
    static let allowFailures = Setting.flag(
        "allow-failures", help: "Exit with 0 even if posts were not acknowledged.")
}

extension ValueKind where Value == BundleId {
    static var bundleId: ValueKind {
        ValueKind(name: "TEXT", expected: "a bundle id", example: "com.example.app", text: \.rawValue) {
            text throws(SettingError) in
            guard !text.isEmpty, BundleId(text).isBounded, !text.contains(":") else {
                throw SettingError("must be a bundle id, such as com.example.app")
            }
            return BundleId(text)
        }
    }
}

extension ValueKind where Value == Percentage {
    static var percentage: ValueKind {
        ValueKind(name: "PERCENT", expected: "a percentage from 0% to 100%", example: "15%", text: \.text) {
            text throws(SettingError) in
            guard let percentage = Percentage(text: text) else {
                throw SettingError("must be a percentage from 0% to 100% with at most two decimal places")
            }
            return percentage
        }
    }
}

extension ValueKind where Value == Set<NotificationFormat> {
    static var formats: ValueKind {
        ValueKind(
            name: "FORMATS", expected: "one or more of v2, v1 and v0, separated by commas", example: "v2,v1",
            text: { formats in
                NotificationFormat.allCases.filter { formats.contains($0) }.map(\.rawValue).joined(separator: ",")
            }
        ) { text throws(SettingError) in
            var formats: Set<NotificationFormat> = []
            for name in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let format = NotificationFormat(rawValue: String(name)) else {
                    throw SettingError("must be a comma-separated list of v2, v1 or v0, such as v2,v1")
                }
                formats.insert(format)
            }
            return formats
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
    static var url: ValueKind {
        ValueKind(
            name: "URL", expected: "an http or https URL", example: "http://127.0.0.1:8080/notifications", text: { $0 }
        ) { text throws(SettingError) in
            guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
                throw SettingError("must begin with http:// or https://")
            }
            return text
        }
    }

    /// Names of existing scenarios.
    static var scenarios: ValueKind {
        ValueKind(name: "NAMES", expected: "scenario names, or all", example: "all", text: { $0 }) {
            text throws(SettingError) in
            for name in text.split(separator: ",", omittingEmptySubsequences: false)
            where text != "all" && Scenario.named(String(name)) == nil {
                throw SettingError("must be all or names of scenarios; list them with: sluice-simulator scenarios")
            }
            return text
        }
    }
}
