package import Configuration

extension ArchivePlace {
    package static let retention = Setting.duration(
        "archive.retention", default: .seconds(400 * 86_400), in: .seconds(86_400)...(.seconds(36_500 * 86_400)),
        help: """
            Payloads are deleted so long after they were archived, a segment of 256 at a time, but for what is under a \
            legal hold or whose key is unknown: a day after a run has announced it, and at most a tenth of a log at once. \
            The leaves stay, and so do erasures and certificates.
            """)
}
