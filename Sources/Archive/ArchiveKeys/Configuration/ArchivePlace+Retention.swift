package import Configuration

extension ArchivePlace {
    package static let retention = Setting.duration(
        "archive.retention", default: .seconds(400 * 86_400), in: .seconds(86_400)...(.seconds(36_500 * 86_400)),
        help: """
            How long payloads are kept. They are deleted in segments of 256, one day after a run has announced the \
            deletion; one run deletes at most a tenth of a log. Payloads under a legal hold or with an unknown key are \
            kept, as are all leaves, erasures and certificates.
            """)
    /// The interval between retention runs.
    package static let retentionInterval = Setting.duration(
        "archive.retention.interval", default: .seconds(21_600), in: .seconds(1)...(.seconds(86_400)),
        help: "How often to look for payloads older than archive.retention.")
}
