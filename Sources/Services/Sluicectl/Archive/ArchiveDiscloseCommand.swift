internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Cryptography
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Primitives
internal import Records
internal import TransparencyLog

/// `sluicectl archive disclose` and `check-disclosure`: disclose one record, with a proof, to a recipient who has only
/// the public key.
struct ArchiveDiscloseCommand {
    let configuration: Configuration
    let timeout: Duration

    private var inputs: ArchiveInputs { ArchiveInputs(configuration: configuration, timeout: timeout) }

    // MARK: disclose

    func disclose(_ text: String, _ reveals: ArchiveReveals, _ console: Console) async throws -> ExitCode {
        try reveals.requireAuthor()
        guard let position = ArchivedPosition(text) else {
            throw StartupError(
                "\"\(PlainText.printable(text))\" is not a position", fix: "Specify TOPIC/PARTITION@OFFSET",
                exitCode: .usage)
        }
        let verifiers = try await inputs.verifiers()
        let keys = try KeyStore(
            path: configuration[ArchivePlace.keyStore],
            keys: KeyEncryptionKeys(files: configuration[ArchivePlace.keyEncryptionKeys]), creation: .never)
        defer { keys.close() }
        let disclosure: ArchiveDisclosure
        let shown: ArchiveDisclosure.Shown
        do {
            disclosure = try await make(position, verifiers, keys)
        } catch let error as ArchiveError where error.isReadFailure {
            throw StartupError(
                "\(error)", fix: "Check the log with: sluicectl archive verify", exitCode: ExitCode(error))
        }
        do throws(DisclosureRefusal) {
            shown = try disclosure.verify(verifiers)
        } catch {
            throw StartupError(
                "nothing was written, because the disclosure would be invalid: \(error.reason)",
                fix: "Find the first invalid record with: sluicectl archive verify", exitCode: error.exitCode)
        }
        let entry = ReadEntry(
            partition: position.partition, index: shown.index, leaf: shown.leaf, keyId: try keys.keyId(of: shown.leaf),
            content: shown.content)
        try await reveals.record(.disclose, [entry], keys)
        console.complain("disclosed \(position.partition)@\(position.offset) from the archive, including personal data")
        guard let file = configuration[ArchiveProofOptions.outputFile] else {
            return await console.write(disclosure.bytes) ? .ok : .failure
        }
        do {
            // The file contains personal data, so only its owner may read it.
            try FileDescriptor(replacing: file, mode: 0o600).write(disclosure.bytes)
        } catch {
            throw StartupError("\(PlainText.printable(file)) cannot be written", fix: "Specify a different file")
        }
        return .ok
    }

    private func make(
        _ position: ArchivedPosition, _ verifiers: ArchiveVerifiers?, _ keys: KeyStore
    ) async throws -> ArchiveDisclosure {
        let logs = try ArchiveLogs(configuration)
        let reader = LogReader(
            logs.store, names: try logs.reader(of: position.partition).names, verifiers: verifiers)
        guard let checkpoint = try await reader.checkpoint() else {
            throw ArchiveError(.noLeaf, "no log exists for \(position.partition)")
        }
        let size = checkpoint.checkpoint.size
        guard let index = try await reader.index(of: position.offset, size: size) else {
            throw ArchiveError(.noLeaf, "\(position.partition) has no leaf with offset \(position.offset.rawValue)")
        }
        let (bytes, leaf) = try await reader.leaf(index, size: size)
        guard !leaf.isErasedOnArrival else {
            throw notDisclosed(leaf, "the person's data was erased before this record was archived")
        }
        let object = try await reader.object(index, size: size)
        return ArchiveDisclosure(
            proof: try await reader.proof(ofLeaf: index, in: checkpoint, extra: bytes), object: object,
            recordKey: try recordKey(of: leaf, object, keys))
    }

    /// Returns an object's key, or nil if the object is not encrypted.
    private func recordKey(
        of leaf: ArchiveLeaf, _ object: [UInt8], _ keys: KeyStore
    ) throws -> ArchiveRecordKey? {
        guard leaf.key != nil else { return nil }
        guard ArchiveObject.hasRecordKey(object) else {
            throw notDisclosed(
                leaf, "it was archived by a release that did not use a separate key for each record",
                "Write a proof with sluicectl archive prove, or view the record with sluicectl archive show --reveal")
        }
        guard let id = try keys.keyId(of: leaf) else { return nil }
        switch try keys.dataKey(id) {
        case .usable(let key): return try ArchiveRecordKey(of: leaf.position, from: key)
        case .destroyed: throw notDisclosed(leaf, "the person's data was erased")
        case .unknown:
            throw notDisclosed(
                leaf, "its key is not in this key store", "Run the command on a host whose key store contains the key")
        }
    }

    private func notDisclosed(_ leaf: ArchiveLeaf, _ reason: String, _ fix: String? = nil) -> StartupError {
        StartupError(
            "\(leaf.position) cannot be disclosed: \(reason)",
            fix: fix ?? "To prove that the record was archived, run: sluicectl archive prove")
    }

    // MARK: check-disclosure

    /// Checks a disclosure offline, with only the file and the key.
    func check(_ file: String, _ console: Console) async throws -> ExitCode {
        guard let verifiers = try await inputs.verifiers() else {
            throw StartupError(
                "checking a disclosure requires the archive's public key", setting: ArchiveProofOptions.key.key,
                fix: "Set --key", exitCode: .archiveKeyUnknown)
        }
        let bytes = try await InputFile.readEvidence(file, maximumBytes: ArchiveDisclosure.maximumByteCount)
        do throws(DisclosureRefusal) {
            await write(try ArchiveDisclosure(bytes: bytes).verify(verifiers), console)
            return .ok
        } catch {
            await console.write(
                configuration, text: "NOT PROVED: \(PlainText.printable(error.reason))\n",
                json: [OutputName.ok: .bool(false), OutputName.reason: .string(error.reason)])
            return error.exitCode
        }
    }

    private func write(_ shown: ArchiveDisclosure.Shown, _ console: Console) async {
        let tree = shown.checkpoint.checkpoint
        let entry = ReadEntry(
            partition: shown.leaf.position.topicPartition, index: shown.index, leaf: shown.leaf,
            keyId: nil, content: shown.content)
        let report = ArchiveRecordReport(
            entry, names: TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]), reveals: true)
        switch configuration[OperationsSettings.output] {
        case .text:
            await console.write(
                PlainText.table([
                    [OutputName.origin, PlainText.printable(tree.origin)], [OutputName.size, "\(tree.size)"],
                    [OutputName.root, tree.root.base64],
                ]) + report.text + "proved: the record was in the archive when the checkpoint was signed\n")
        case .json:
            var object = report.json
            object[OutputName.ok] = .bool(true)
            object[OutputName.origin] = .string(tree.origin)
            object[OutputName.size] = .integer(Int64(tree.size))
            object[OutputName.root] = .string(tree.root.base64)
            object[OutputName.signedTime] =
                shown.checkpoint.time.map { seconds in
                    .string(
                        AppStoreInstant(
                            clampingMillisecondsSince1970: Int64(clamping: seconds).multipliedReportingOverflow(
                                by: 1000
                            )
                            .0
                        ).description)
                } ?? .null
            await console.write(line: JSONValue.object(object).json)
        }
    }
}
