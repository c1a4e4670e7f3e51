internal import AppStoreModel
internal import Configuration

/// The settings of `sluicectl compare-versions`.
enum TwinSettings {
    static let from = Setting(
        "from", .instant, help: "Only notifications received at or after this time. Default: the entire topic."
    )
    .optional.onCommandLineOnly
    static let to = Setting("to", .instant, help: "Only notifications received before this time. Default: now.")
        .optional.onCommandLineOnly
    static let app = Setting.string("app", help: "Only notifications for this app.", example: "com.example.app")
        .optional.onCommandLineOnly.formerly("bundle")
    static let tolerance = Setting.duration(
        "tolerance", default: .seconds(86_400), in: .seconds(1)...(.seconds(7 * 86_400)),
        help: "Maximum time between receiving the two notifications for an event."
    ).onCommandLineOnly
    static let limit = Setting.integer(
        "limit", default: 100, in: 0...100_000,
        help: "Maximum number of notifications and purchases listed individually."
    ).onCommandLineOnly

    static let all: [any AnySetting] = [from, to, app, tolerance, limit]
}
