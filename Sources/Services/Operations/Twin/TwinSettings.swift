internal import AppStoreModel
internal import Configuration

/// The settings of `sluicectl compare-versions`.
enum TwinSettings {
    static let from = Setting("from", .instant, help: "Received since this time. Default: all that the topic has.")
        .optional.onCommandLineOnly
    static let to = Setting("to", .instant, help: "Received before this time. Default: now.")
        .optional.onCommandLineOnly
    static let bundle = Setting.string("bundle", help: "Only this app.", example: "com.example.app")
        .optional.onCommandLineOnly
    static let tolerance = Setting.duration(
        "tolerance", default: .seconds(86_400), in: .seconds(1)...(.seconds(7 * 86_400)),
        help: "How far apart two notifications of one event may be received."
    ).onCommandLineOnly
    static let limit = Setting.integer(
        "limit", default: 100, in: 0...100_000, help: "Notifications and purchases that are listed one by one."
    ).onCommandLineOnly

    static let all: [any AnySetting] = [from, to, bundle, tolerance, limit]
}
