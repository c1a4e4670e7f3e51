internal import ArchiveKeys
package import Configuration
internal import FoundationEssentials
internal import HTTPClient
internal import Kafka
internal import ObjectStorage

/// Settings for the anchors. Names and defaults are a public contract.
extension ArchiveSettings {
    package static let anchorInterval = Setting.duration(
        "archive.anchor.interval", default: .seconds(60), in: .seconds(1)...(.seconds(86_400)),
        help:
            "How often the newest checkpoint of each log is appended to the checkpoint log, which is then anchored."
    )
    package static let anchorKafka = Setting.boolean(
        "archive.anchor.kafka", default: true,
        help: "Whether checkpoints are also written to the topic appstore.archive.checkpoints.")
    package static let anchorWitnesses = Setting.readableFile(
        "archive.anchor.witnesses.file",
        help:
            "File of witnesses that cosign checkpoints (c2sp.org/tlog-witness), one per line: name, verifier key, URL.",
        example: "/etc/sluice/witnesses"
    ).optional

    static let anchorSettings: [any AnySetting] =
        [
            anchorInterval, anchorKafka, ArchivePlace.anchorURL, anchorWitnesses,
        ] + ArchivePlace.anchorBucket.all

    /// Returns the configured anchors.
    ///
    /// - Throws: a `ConfigurationError` that identifies the setting.
    static func anchors(
        _ settings: ArchiveConfiguration, _ configuration: Configuration, kafka: KafkaConfiguration, topic: KafkaTopic,
        archive: any ObjectStore,
        notice: @escaping @Sendable (String) -> Void
    ) throws(ConfigurationError) -> [any CheckpointAnchor] {
        var anchors: [any CheckpointAnchor] = []
        if configuration[anchorKafka] { anchors.append(KafkaAnchor(kafka: kafka, topic: topic)) }
        if let store = try ArchivePlace.openAnchor(configuration, creating: true, notice: notice) {
            anchors.append(StoreAnchor(store: store))
        }
        guard !settings.witnesses.isEmpty else { return anchors }
        let client = HTTPClient(settings.http)
        for witness in settings.witnesses {
            anchors.append(
                WitnessAnchor(witness, archive: archive) { request throws(HTTPClientError) in
                    try await client.send(request)
                })
        }
        return anchors
    }

    /// Reads the witnesses from the configured file. Returns none if no file is configured.
    ///
    /// - Throws: a `ConfigurationError` if the file is unreadable or invalid, or lists no witnesses.
    static func witnesses(_ configuration: Configuration) throws(ConfigurationError) -> [Witness] {
        guard let path = configuration[anchorWitnesses] else { return [] }
        do throws(FileError) {
            let bytes = FileManager.default.contents(atPath: path).map {
                [UInt8]($0.prefix(Witness.maximumFileBytes + 1))
            }
            guard let bytes, bytes.count <= Witness.maximumFileBytes else {
                throw FileError(message: "the file is unreadable, or larger than \(Witness.maximumFileBytes) bytes")
            }
            return try Witness.read(bytes)
        } catch { throw configuration.error(anchorWitnesses.key, "\(path) cannot be used: \(error.message)") }
    }
}
