package import Configuration

extension ArchivePlace {
    package static let retention = Setting.duration(
        "archive.retention", default: .seconds(400 * 86_400), in: .seconds(86_400)...(.seconds(36_500 * 86_400)),
        help: """
            Payloads are deleted when they have been archived for this time, in segments of 256: a day after a run has \
            announced the deletion, and at most a tenth of a log at once. Payloads under a legal hold, or with an unknown \
            key, are kept, and so are the leaves, erasures and certificates.
            """)
    /// Time between two retention runs.
    package static let retentionInterval = Setting.duration(
        "archive.retention.interval", default: .seconds(21_600), in: .seconds(1)...(.seconds(86_400)),
        help: "How often payloads are looked for whose archive.retention is over.")
}
