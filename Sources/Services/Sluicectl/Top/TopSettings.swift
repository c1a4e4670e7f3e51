internal import Configuration

/// Settings of `sluicectl top`.
enum TopSettings {
    static let members = Setting.strings(
        "members", help: "Addresses of the members' admin listeners.", example: "127.0.0.1:9464,127.0.0.1:9465"
    ).optional.onCommandLineOnly
    static let once = Setting.flag("once", help: "Print one snapshot and exit: 0 if everything is ready, otherwise 1.")
    static let interval = Setting.duration(
        "interval", default: .seconds(2), in: .milliseconds(200)...(.seconds(3_600)), help: "Time between two readings."
    ).onCommandLineOnly
}
