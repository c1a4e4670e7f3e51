internal import Configuration

/// Flags of `sluicectl doctor` beside those of the ingress.
enum DoctorSettings {
    static let jws = Setting.string(
        "jws", help: "A notification as received; the responders of its certificates are asked. - reads standard input."
    ).optional.onCommandLineOnly
    static let certificates = Setting.string(
        "certificates", help: "Leaf and intermediate in PEM, in this order; their responders are asked."
    ).optional.onCommandLineOnly

    static let schema = ConfigurationSchema(
        [jws, certificates, OperationsSettings.output],
        openPrefixes: [
            OpenPrefix(
                "", help: "Any setting of sluice-ingress, read as it would read it; its --help lists them.",
                example: "--profile single-node")
        ])

    /// Keys that the ingress does not know.
    static let ownKeys = [jws.key, certificates.key, OperationsSettings.output.key]
}
