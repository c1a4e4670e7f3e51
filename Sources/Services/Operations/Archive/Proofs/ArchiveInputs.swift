internal import ArchiveConfiguration
internal import ArchiveLog
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import ObjectStorage
internal import Records
internal import TransparencyLog

/// What `sluicectl archive verify` and `prove` are given.
struct ArchiveInputs {
    private static let maximumKeyBytes = 64 << 10
    private static let maximumAnchorBytes = 16 << 20

    let configuration: Configuration
    let timeout: Duration

    /// The archive.
    ///
    /// - Throws: a ``StartupError`` with exit code 6 when there is none.
    func store() throws(StartupError) -> any ObjectStore {
        do throws(ConfigurationError) {
            return try ArchivePlace.openStore(configuration, creating: false)
        } catch {
            throw StartupError(
                error.message, setting: ArchivePlace.url.key, fix: "Give the archive with --archive.url",
                exitCode: .archiveUnreadable)
        }
    }

    /// The archive's public keys; nil when none is given.
    ///
    /// - Throws: a ``StartupError`` with exit code 5 for a text that is no key.
    func verifiers() async throws(StartupError) -> ArchiveVerifiers? {
        guard let given = configuration[ArchiveProofOptions.key] else { return nil }
        if let key = try? NoteVerifier(text: given) { return ArchiveVerifiers([key]) }
        let bytes = try await InputFile.read(given, maximumBytes: Self.maximumKeyBytes)
        do throws(TransparencyLogError) {
            return try ArchiveVerifiers(text: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw StartupError(
                error.message, setting: ArchiveProofOptions.key.key,
                fix: "Give the key that sluicectl archive key show prints", exitCode: .archiveKeyUnknown)
        }
    }

    /// The checkpoints that the archive must continue.
    ///
    /// - Throws: a ``StartupError`` with exit code 6 when they cannot be read.
    func anchors() async throws -> [SignedNote] {
        guard let source = configuration[ArchiveProofOptions.checkpointFrom] else { return [] }
        if source == "topic" { return try await publishedAnchors() }
        if source == "store" { return try await AnchorStore(configuration).checkpoints() }
        let bytes = try await InputFile.read(source, maximumBytes: Self.maximumAnchorBytes)
        do throws(TransparencyLogError) {
            return try SignedNote.sequence(bytes)
        } catch {
            throw StartupError(
                "\(PlainText.printable(source)) is not a checkpoint: \(error.message)",
                setting: ArchiveProofOptions.checkpointFrom.key, fix: "Give a file of signed checkpoints",
                exitCode: .archiveUnreadable)
        }
    }

    private func publishedAnchors() async throws -> [SignedNote] {
        let topic = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]).archiveCheckpoints
        let brokers = try Brokers(configuration, timeout: timeout)
        return try await brokers.admin().closing { admin in
            let isEmbedded = try await brokers.isEmbedded(admin)
            let scan = try await TopicScan(
                topic, of: admin, with: brokers.readerConfiguration(isEmbedded: isEmbedded))
            var notes: [SignedNote] = []
            try await scan.run { record in
                // Whoever may write to the topic may write anything: what is not signed by the key is found out later.
                if let value = record.value, let note = try? SignedNote(bytes: value) { notes.append(note) }
                return true
            }
            return notes
        }
    }
}

/// `<topic>/<partition>`, with an offset behind an `@` or without.
struct ArchiveLogPlace {
    let log: KafkaTopicPartition
    let offset: KafkaOffset?

    init?(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let slash = first.lastIndex(of: "/"), slash > first.startIndex,
            let partition = Int32(first[first.index(after: slash)...]), partition >= 0
        else { return nil }
        log = KafkaTopicPartition(
            topic: KafkaTopic(rawValue: String(first[..<slash])), partition: KafkaPartition(rawValue: partition))
        guard parts.count == 2 else {
            offset = nil
            return
        }
        guard let number = Int64(parts[1]), number >= 0 else { return nil }
        offset = KafkaOffset(rawValue: number)
    }
}
