internal import Configuration

/// Flags of `sluicectl doctor` in addition to those of the ingress.
enum DoctorSettings {
    static let jws = Setting.string(
        "jws",
        help: "Notification as received, whose OCSP responders are queried; - reads standard input."
    ).optional.onCommandLineOnly
    static let certificates = Setting.string(
        "certificates",
        help: "Leaf and intermediate certificate in PEM, in this order, whose OCSP responders are queried."
    ).optional.onCommandLineOnly

    static let schema = ConfigurationSchema(
        [jws, certificates, OperationsSettings.output],
        openPrefixes: [
            OpenPrefix(
                "", help: "Any setting of sluice-ingress; see its --help.",
                example: "--profile single-node")
        ])

    /// Keys that the ingress does not know.
    static let ownKeys = [jws.key, certificates.key, OperationsSettings.output.key]
}
