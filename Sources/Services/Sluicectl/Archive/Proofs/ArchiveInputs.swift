internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Glibc
internal import Kafka
internal import Lifecycle
internal import ObjectStorage
internal import Records
internal import TransparencyLog

/// The inputs of `sluicectl archive verify` and `prove`.
struct ArchiveInputs {
    private static let maximumKeyBytes = 64 << 10
    private static let maximumAnchorBytes = 16 << 20

    let configuration: Configuration
    let timeout: Duration

    /// Opens the archive.
    ///
    /// - Throws: a ``StartupError`` with exit code 6 if it cannot be opened.
    func store() throws(StartupError) -> any ObjectStore {
        do throws(ConfigurationError) {
            return try ArchivePlace.openStore(configuration, creating: false)
        } catch {
            throw StartupError(
                error.message, setting: ArchivePlace.url.key, fix: "Point --archive.url at the archive",
                exitCode: .archiveUnreadable)
        }
    }

    /// Returns the archive's public keys, or nil if none are specified.
    ///
    /// - Throws: a ``StartupError`` with exit code 5 if a value is not a key.
    func verifiers() async throws(StartupError) -> ArchiveVerifiers? {
        guard let given = configuration[ArchiveProofOptions.key] else { return nil }
        let isKey = (try? NoteVerifier(text: given)) != nil
        let bytes = isKey ? Array(given.utf8) : try await InputFile.read(given, maximumBytes: Self.maximumKeyBytes)
        do throws(TransparencyLogError) {
            return try ArchiveVerifiers(text: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw StartupError(
                error.message, setting: ArchiveProofOptions.key.key,
                fix: "Set it to the key printed by sluicectl archive key show", exitCode: .archiveKeyUnknown)
        }
    }

    /// Returns the archive's public keys from `--key`, otherwise from the policy file, or nil if neither is set.
    ///
    /// - Throws: the errors of ``verifiers()``, and a ``StartupError`` if the file is not a policy.
    func verifiersOrPolicy() async throws(StartupError) -> ArchiveVerifiers? {
        if let verifiers = try await verifiers() { return verifiers }
        return try await policy()?.archiveKeys()
    }

    /// Returns the archive's public keys for a verification, or nil with `--unsigned`.
    ///
    /// - Throws: a ``StartupError`` with exit code 5 if there is no key, or if a value is not a key.
    func verifiersOrUnsigned() async throws(StartupError) -> ArchiveVerifiers? {
        let verifiers = try await verifiersOrPolicy()
        let isUnsigned = configuration[ArchiveProofOptions.unsigned]
        guard verifiers == nil || !isUnsigned else {
            throw StartupError(
                "--key and --unsigned are mutually exclusive", setting: ArchiveProofOptions.unsigned.key,
                fix: "Omit --unsigned", exitCode: .usage)
        }
        guard verifiers != nil || isUnsigned else {
            throw StartupError(
                "signatures cannot be verified without the archive's public key",
                setting: ArchiveProofOptions.key.key,
                fix: "Set --key, or --unsigned to compare the files only with each other",
                exitCode: .archiveKeyUnknown)
        }
        return verifiers
    }

    /// Returns the external checkpoints with which the archive's logs must be consistent, or nil without
    /// `--checkpoint-from`.
    ///
    /// - Throws: a ``StartupError`` with exit code 6 if they cannot be read.
    func anchors(_ verifiers: ArchiveVerifiers?) async throws -> AnchoredCheckpoints? {
        guard let source = configuration[ArchiveProofOptions.checkpointFrom] else { return nil }
        var anchors = AnchoredCheckpoints(verifiers: verifiers)
        if source == "topic" {
            try await collectPublished(into: &anchors)
            return anchors
        }
        if source == "store" {
            try await AnchorStore(configuration).collect(into: &anchors)
            return anchors
        }
        let bytes = try await InputFile.readEvidence(
            source, maximumBytes: Self.maximumAnchorBytes, setting: ArchiveProofOptions.checkpointFrom.key)
        do throws(TransparencyLogError) {
            for note in try SignedNote.sequence(bytes) { anchors.add(note) }
            return anchors
        } catch {
            throw StartupError(
                "\(PlainText.printable(source)) is not a checkpoint: \(error.message)",
                setting: ArchiveProofOptions.checkpointFrom.key, fix: "Specify a file of signed checkpoints",
                exitCode: .archiveUnreadable)
        }
    }

    /// Returns the trusted witnesses, or nil if none are specified.
    ///
    /// - Throws: a ``StartupError`` with exit code 5 if a key is not a witness key or is the archive's own.
    func witnesses(_ verifiers: ArchiveVerifiers?) async throws(StartupError) -> WitnessPolicy? {
        if let policy = try await policy() { return try policy.witnesses(verifiers) }
        func wrong(_ problem: String) -> StartupError {
            StartupError(
                problem, setting: ArchiveProofOptions.witnesses.key,
                fix:
                    "Set it to the witnesses' verifier keys, as in archive.anchor.witnesses.file, separated by commas",
                exitCode: .archiveKeyUnknown)
        }
        guard let texts = configuration[ArchiveProofOptions.witnesses] else { return nil }
        let policy: WitnessPolicy
        do throws(TransparencyLogError) {
            var keys: [NoteVerifier] = []
            for text in texts { keys.append(try NoteVerifier(text: text)) }
            policy = try WitnessPolicy(keys, quorum: configuration[ArchiveProofOptions.quorum])
        } catch { throw wrong(error.message) }
        if let own = verifiers.flatMap(policy.own) {
            throw wrong(
                "\(PlainText.printable(own.name)) has the archive's own key; a witness must be independent of the archive"
            )
        }
        return policy
    }

    /// Reads the policy file. Returns nil if none is specified.
    ///
    /// - Throws: a ``StartupError`` with exit code 5 if the file is not a policy, or 6 if it cannot be read.
    private func policy() async throws(StartupError) -> ArchivePolicy? {
        guard let path = configuration[ArchiveProofOptions.policy] else { return nil }
        guard configuration[ArchiveProofOptions.witnesses] == nil, configuration[ArchiveProofOptions.quorum] == nil
        else {
            throw StartupError(
                "--policy already specifies the witnesses and the quorum", setting: ArchiveProofOptions.policy.key,
                fix: "Omit --witness and --quorum", exitCode: .usage)
        }
        let bytes = try await InputFile.readEvidence(
            path, maximumBytes: TlogPolicy.maximumByteCount, setting: ArchiveProofOptions.policy.key)
        do throws(TransparencyLogError) {
            return ArchivePolicy(try TlogPolicy(bytes: bytes))
        } catch { throw ArchivePolicy.wrong(error.message) }
    }

    /// Reads the file saved by an earlier run. Returns nil without the flag or before the first run.
    ///
    /// - Throws: a ``StartupError`` with exit code 6 if the file cannot be read or has a different format.
    func savedVerification(_ verifiers: ArchiveVerifiers?) async throws(StartupError) -> SavedVerification? {
        let key = ArchiveProofOptions.resumeFrom.key
        guard let path = configuration[ArchiveProofOptions.resumeFrom] else { return nil }
        guard verifiers != nil else {
            throw StartupError(
                "an earlier verification is reused only if its signatures were verified", setting: key,
                fix: "Set --key instead of --unsigned", exitCode: .usage)
        }
        if access(path, F_OK) != 0, errno == ENOENT { return nil }
        let bytes = try await InputFile.readEvidence(path, maximumBytes: Self.maximumAnchorBytes, setting: key)
        do throws(TransparencyLogError) {
            return try SavedVerification(bytes: bytes)
        } catch {
            throw StartupError(
                "\(PlainText.printable(path)) has no checkpoints: \(error.message)", setting: key,
                fix: "Specify a file written by --save, or omit the flag", exitCode: .archiveUnreadable)
        }
    }

    private func collectPublished(into anchors: inout AnchoredCheckpoints) async throws {
        let topic = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]).archiveCheckpoints
        try await Brokers.connected(configuration, timeout) { admin, kafka in
            try await TopicScan(topic, of: admin, with: kafka).run { record in
                // Clients with write access can publish anything. The report counts values that are not checkpoints.
                if let value = record.value { anchors.add(bytes: value) }
                return true
            }
        }
    }
}

/// A log as `<topic>/<partition>`, optionally followed by `@` and an offset.
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
