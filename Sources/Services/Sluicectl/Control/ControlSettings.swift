internal import Configuration

/// The settings of `sluicectl pause`, `resume` and `pauses`.
enum ControlSettings {
    static let reason = Setting.string(
        "reason", help: "Why, in a few words without personal data; logged, and shown to everyone who operates Sluice.",
        example: "the consent service answers wrongly"
    ).optional.onCommandLineOnly
    static let author = Setting.string(
        "author", help: "The person responsible. Default: your user name.", example: "ann"
    ).optional.onCommandLineOnly
    static let new = Setting.flag("new", help: "Accept a group that Kafka does not know yet.")
}
