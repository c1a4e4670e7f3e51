internal import CommandLine
internal import Configuration

/// Flags of `sluicectl doctor` in addition to those of the checked executable.
enum DoctorSettings {
    /// Returns the setting that selects the executable to check.
    static func executable(of names: [String]) -> Setting<String> {
        Setting(
            "for", .oneOf(names), default: DoctorCommand.defaultExecutable,
            help: "Executable whose configuration and dependencies are checked."
        ).onCommandLineOnly
    }

    static let jws = Setting.string(
        "jws",
        help: "File with a notification as received, or - for standard input; the OCSP responders of its certificates "
            + "are queried."
    ).optional.onCommandLineOnly
    static let certificates = Setting.string(
        "certificates",
        help: "Leaf and intermediate certificates in PEM format, in this order; their OCSP responders are queried."
    ).optional.onCommandLineOnly

    static func schema(_ parts: SluicectlParts) -> ConfigurationSchema {
        ConfigurationSchema(
            [executable(of: parts.executables.map(\.name)), jws, certificates, OperationsSettings.output],
            openPrefixes: [
                OpenPrefix(
                    "", help: "Any setting of the executable; see its --help.",
                    example: "--profile single-node")
            ])
    }

    /// Keys of the flags that only `sluicectl doctor` accepts.
    static let ownKeys = ["for", jws.key, certificates.key, OperationsSettings.output.key]
}
