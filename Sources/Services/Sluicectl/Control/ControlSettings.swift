internal import Configuration

/// The settings of `sluicectl pause`, `resume` and `pauses`.
enum ControlSettings {
    static let reason = Setting.string(
        "reason", help: "The reason, in a few words without personal data. It is logged and shown to all operators.",
        example: "the consent service returns wrong answers"
    ).optional.onCommandLineOnly
    static let author = Setting.string(
        "author", help: "The person responsible. Default: your user name.", example: "ann"
    ).optional.onCommandLineOnly
    static let new = Setting.flag("new", help: "Accept a group that does not exist in Kafka yet.")
}
