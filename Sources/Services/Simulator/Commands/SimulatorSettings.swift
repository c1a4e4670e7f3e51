internal import AppStoreModel
internal import Configuration

/// Settings of `sluice-simulator`. All are flags: every run chooses what is simulated.
enum SimulatorSettings {
    static let out = Setting.string(
        "out", default: "./pki", help: "Directory of the test certificates; created when it is missing."
    ).onCommandLineOnly
    static let pki = Setting.string(
        "pki", default: "./pki", help: "Directory that `sluice-simulator pki` made; its leaf signs."
    ).onCommandLineOnly
    static let output = Setting<OutputFormat>.oneOf(
        "output", default: .text, help: "text for people, json for scripts."
    )
    .onCommandLineOnly
    static let body = Setting.flag("body", help: "Print the whole HTTP body instead of the JWS alone.")

    static let url = Setting("url", .url, help: "Where to post.", example: "http://127.0.0.1:8080/notifications")
        .onCommandLineOnly
    /// Like `url`, for commands that only post notifications caused by API requests.
    static let optionalURL = Setting(
        "url", .url, help: "Where to post notifications; without it none is posted.",
        example: "http://127.0.0.1:8080/notifications"
    ).optional.onCommandLineOnly
    static let app = Setting(
        "app", .app, default: AppArgument(bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890)),
        help: "Bundle id and Apple's app id of the app that is simulated."
    ).onCommandLineOnly
    static let environment = Setting(
        "environment", .oneOf([AppStoreEnvironment.production, .sandbox], text: \.rawValue), default: .production,
        help: "Where the notifications say they come from; also decides the retries."
    ).onCommandLineOnly
    static let scenario = Setting(
        "scenario", .scenarios, default: "all", help: "One scenario, several separated by commas, or all of them."
    ).onCommandLineOnly
    static let accounts = Setting.integer(
        "accounts", in: 1...10_000_000,
        help: "Customers. Each plays one scenario, or, when --count asks for more, one after the other."
    ).optional.onCommandLineOnly
    static let count = Setting.integer(
        "count", in: 1...1_000_000_000,
        help: "Different notifications. Without it and --accounts every scenario is played once."
    ).optional.onCommandLineOnly
    static let rate = Setting.integer(
        "rate", in: 1...1_000_000, help: "Posts per second, repeated ones not counted. As fast as possible without it."
    ).optional.onCommandLineOnly
    static let duplicates = Setting(
        "duplicates", .percentage, default: .zero, help: "Share of the notifications that is posted twice."
    ).onCommandLineOnly
    static let disorder = Setting(
        "disorder", .percentage, default: .zero,
        help: "Share of the notifications that is posted after a later one of the same purchase."
    ).onCommandLineOnly
    static let formats = Setting(
        "formats", .formats, default: [.v2],
        help: "Forms in which each event is sent, separated by commas, where the form tells of it: v2, v1 (version 1), "
            + "v0 (the status update notification, the oldest form). Both older ones need --shared-secret-file."
    ).onCommandLineOnly
    static let sharedSecretFile = Setting.string(
        "shared-secret-file", help: "File with the app's shared secret, the `password` of the forms v1 and v0.",
        example: "./shared-secret"
    ).optional.onCommandLineOnly
    static let receiptTransactions = Setting.integer(
        "receipt-transactions", default: 0, in: 0...100_000,
        help: "Transactions that a receipt of version 1 has at least; older purchases of the customer are added."
    ).onCommandLineOnly
    static let undelivered = Setting(
        "undelivered", .percentage, default: .zero,
        help: "Share of the notifications that is never posted: those are only in the history of the App Store Server "
            + "API. Taken from what the history reaches: 180 days, in the sandbox 30."
    ).onCommandLineOnly
    static let connections = Setting.integer(
        "connections", default: 16, in: 1...1024, help: "Posts at the same time."
    ).onCommandLineOnly
    static let timeout = Setting.duration(
        "timeout", default: .seconds(30), in: .milliseconds(100)...Duration.minutes(10),
        help: "How long an attempt may take."
    ).onCommandLineOnly
    static let timeScale = Setting.integer(
        "time-scale", default: 3600, in: 1...1_000_000_000,
        help: "How many times faster Apple's hours pass, of retries and of refunds: 3600 makes an hour a second."
    ).onCommandLineOnly
    static let seed = Setting.integer(
        "seed", default: 1, in: 0...Int.max, help: "The same seed plays the same scenarios for the same customers."
    ).onCommandLineOnly
    static let firstRun = Setting.integer(
        "first-run", default: 0, in: 0...100_000_000,
        help: "Number of the first life that is played: every number has purchases of its own, whatever the seed."
    ).onCommandLineOnly
    static let asOf = Setting(
        "as-of", .instant, help: "When the scenarios end; now without it. Set it to get the same dates again."
    ).optional.onCommandLineOnly
    static let report = Setting.string(
        "report", help: "File to write one JSON line per attempt to, and one per notification that is never posted.",
        example: "report.jsonl"
    )
    .optional.onCommandLineOnly
    static let allowFailures = Setting.flag(
        "allow-failures", help: "Exit with 0 even when posts were not acknowledged.")
}

/// Output format of a command's result.
enum OutputFormat: String, CaseIterable, Sendable {
    case text, json
}

/// An app as `bundleId:appAppleId`, such as `com.example.app:1234567890`.
struct AppArgument: Sendable {
    let bundleId: BundleId
    let appAppleId: AppAppleId
}

extension ValueKind where Value == AppArgument {
    static var app: ValueKind {
        ValueKind(
            name: "BUNDLEID:APPID", expected: "a bundle id and Apple's app id", example: "com.example.app:1234567890",
            text: { "\($0.bundleId):\($0.appAppleId)" }
        ) { text throws(SettingProblem) in
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let number = Int64(parts[1]), number > 0, BundleId(String(parts[0])).isBounded
            else {
                throw SettingProblem("is not a bundle id, a colon and an app id, such as com.example.app:1234567890")
            }
            return AppArgument(bundleId: BundleId(String(parts[0])), appAppleId: AppAppleId(number))
        }
    }
}

extension ValueKind where Value == Percentage {
    static var percentage: ValueKind {
        ValueKind(name: "PERCENT", expected: "a percentage from 0% to 100%", example: "15%", text: \.text) {
            text throws(SettingProblem) in
            guard let percentage = Percentage(text: text) else {
                throw SettingProblem("is not a percentage from 0% to 100% with at most two decimals")
            }
            return percentage
        }
    }
}

extension ValueKind where Value == Set<NotificationFormat> {
    static var formats: ValueKind {
        ValueKind(
            name: "FORMATS", expected: "v2, v1 and v0, separated by commas", example: "v2,v1",
            text: { formats in
                NotificationFormat.allCases.filter { formats.contains($0) }.map(\.rawValue).joined(separator: ",")
            }
        ) { text throws(SettingProblem) in
            var formats: Set<NotificationFormat> = []
            for name in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let format = NotificationFormat(rawValue: String(name)) else {
                    throw SettingProblem("is not a list of v2, v1 and v0, such as v2,v1")
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
        ) { text throws(SettingProblem) in
            guard let instant = AppStoreInstant(rfc3339: text) else {
                throw SettingProblem("is not an RFC 3339 time, such as 2026-11-21T12:00:00Z")
            }
            return instant
        }
    }
}

extension ValueKind where Value == String {
    static var url: ValueKind {
        ValueKind(
            name: "URL", expected: "an http or https URL", example: "http://127.0.0.1:8080/notifications", text: { $0 }
        ) { text throws(SettingProblem) in
            guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
                throw SettingProblem("does not begin with http:// or https://")
            }
            return text
        }
    }

    /// Scenario names, each checked.
    static var scenarios: ValueKind {
        ValueKind(name: "NAMES", expected: "names of scenarios or all", example: "all", text: { $0 }) {
            text throws(SettingProblem) in
            for name in text.split(separator: ",", omittingEmptySubsequences: false)
            where text != "all" && Scenario.named(String(name)) == nil {
                throw SettingProblem("names no scenario; `sluice-simulator scenarios` lists them")
            }
            return text
        }
    }
}
