internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Cryptography
internal import JSON
internal import Kafka
internal import Lifecycle
internal import ObjectStorage
internal import Primitives
internal import TransparencyLog

/// `sluicectl archive prove`: writes a proof that a record is in the archive, or checks one.
struct ArchiveProveCommand {
    private static let maximumBytes = TlogProof.maximumByteCount

    let configuration: Configuration
    let timeout: Duration

    func run(_ place: String?, _ console: Console) async throws -> ExitCode {
        switch (configuration[ArchiveProofOptions.check], place) {
        case (let file?, nil): return try await check(file, console)
        case (nil, let place?): return try await prove(place, console)
        default:
            throw StartupError(
                "specify either a record to prove or a file to check",
                fix: "Specify TOPIC/PARTITION@OFFSET, or --check FILE", exitCode: .usage)
        }
    }

    // MARK: prove

    private func prove(_ text: String, _ console: Console) async throws -> ExitCode {
        guard let place = ArchiveLogPlace(text),
            (place.offset == nil) != (configuration[ArchiveProofOptions.leaf] == nil)
        else {
            throw StartupError(
                "\"\(PlainText.printable(text))\" does not identify a record, or --leaf is given as well as an offset",
                fix: "Specify TOPIC/PARTITION@OFFSET, or TOPIC/PARTITION with --leaf N", exitCode: .usage)
        }
        let inputs = ArchiveInputs(configuration: configuration, timeout: timeout)
        let store = try inputs.store()
        do {
            let verifiers = try await inputs.verifiersOrPolicy()
            let policy = try await inputs.witnesses(verifiers)
            let (proof, outer) = try await proof(of: place, store, verifiers: verifiers)
            let result = ProofResult(proof.bytes, verifiers, policy, outer: outer?.bytes)
            guard result.exitCode == .ok else {
                throw StartupError(
                    "the archive does not prove this record: \(result.reason ?? "the proof is invalid")",
                    fix: "Find the first invalid record with sluicectl archive verify", exitCode: result.exitCode)
            }
            if let file = configuration[ArchiveProofOptions.outputFile] {
                try Self.write(proof.bytes, to: file)
                if let outer { try Self.write(outer.bytes, to: file + CosignedProof.suffix) }
            } else {
                _ = await console.write(proof.bytes)
            }
            return .ok
        } catch let error as ArchiveError where error.isReadFailure {
            throw StartupError(
                "\(error)", fix: "Check the log with sluicectl archive verify", exitCode: ExitCode(error))
        }
    }

    /// Creates the proof. Its extra data contains the leaf, which the recipient hashes and therefore need not trust.
    private func proof(
        of place: ArchiveLogPlace, _ store: any ObjectStore, verifiers: ArchiveVerifiers?
    ) async throws -> (proof: TlogProof, outer: TlogProof?) {
        let reader: LogReader
        do throws(ObjectStoreError) {
            reader = LogReader(store, names: try LogNames(place.log), verifiers: verifiers)
        } catch { throw ArchiveError(.noLeaf, error.message) }
        guard let checkpoint = try await reader.checkpoint() else {
            throw ArchiveError(.noLeaf, "no log exists for \(place.log)")
        }
        let size = checkpoint.checkpoint.size
        var index = configuration[ArchiveProofOptions.leaf]
        if let offset = place.offset { index = try await reader.index(of: offset, size: size) }
        guard let index else {
            throw ArchiveError(.noLeaf, "\(place.log) has no leaf with offset \(place.offset?.rawValue ?? -1)")
        }
        let leaf = try await reader.leaf(index, size: size)
        let cosigned = try await CosignedProof.newest(covering: index, of: reader, in: store)
        let proof = try await reader.proof(
            ofLeaf: index, in: cosigned?.checkpoint ?? checkpoint, extra: leaf.bytes)
        return (proof, cosigned?.outer)
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        do {
            try FileDescriptor(replacing: path).write(bytes)
        } catch {
            throw StartupError("\(PlainText.printable(path)) cannot be written", fix: "Specify a different file")
        }
    }

    // MARK: check

    /// Checks a proof offline, with only the file and the key.
    private func check(_ file: String, _ console: Console) async throws -> ExitCode {
        let inputs = ArchiveInputs(configuration: configuration, timeout: timeout)
        guard let verifiers = try await inputs.verifiersOrPolicy() else {
            throw StartupError(
                "checking a proof requires the archive's public key", setting: ArchiveProofOptions.key.key,
                fix: "Set --key", exitCode: .archiveKeyUnknown)
        }
        let bytes = try await InputFile.readEvidence(file, maximumBytes: Self.maximumBytes)
        let policy = try await inputs.witnesses(verifiers)
        var outer: [UInt8]?
        if policy != nil {
            outer = try? await InputFile.read(file + CosignedProof.suffix, maximumBytes: Self.maximumBytes)
        }
        let result = ProofResult(bytes, verifiers, policy, outer: outer)
        await console.write(configuration, text: result.text, json: result.json)
        return result.exitCode
    }
}

/// The result of checking a proof.
private struct ProofResult {
    let exitCode: ExitCode
    let reason: String?
    private let leaf: ArchiveLeaf?
    private let index: Int?
    private let checkpoint: VerifiedCheckpoint?

    /// - Parameters:
    ///   - verifiers: the archive's keys; nil checks only the path from the leaf to the root, not the signature.
    ///   - policy: the required witnesses, or nil to require none.
    ///   - outer: the proof that the checkpoint is in the checkpoint log.
    init(_ bytes: [UInt8], _ verifiers: ArchiveVerifiers?, _ policy: WitnessPolicy?, outer: [UInt8]?) {
        func refused(_ exitCode: ExitCode, _ reason: String) -> ProofResult {
            ProofResult(exitCode: exitCode, reason: reason)
        }
        do {
            let proof = try TlogProof(bytes: bytes)
            let checkpoint = try VerifiedCheckpoint(proof.note, of: nil, verifiers: verifiers)
            guard let entry = proof.extra else {
                self = refused(.archiveTampered, "the proof does not include the leaf to be proved")
                return
            }
            guard
                proof.inclusion.proves(
                    .leaf(entry), size: checkpoint.checkpoint.size, root: checkpoint.checkpoint.root)
            else {
                self = refused(.archiveTampered, "the leaf is not in the checkpoint's tree")
                return
            }
            let leaf = try ArchiveLeaf(bytes: entry)
            guard checkpoint.checkpoint.origin.hasSuffix("/\(leaf.position.topic)/\(leaf.position.partition)") else {
                self = refused(.archiveTampered, "the leaf and the checkpoint belong to different logs")
                return
            }
            if let policy {
                let own = CosignedProof.problem(checkpoint.note, policy)
                let problem =
                    own == nil ? nil : outer.map { CosignedProof.problem($0, of: checkpoint, verifiers, policy) } ?? own
                if let problem {
                    self = refused(problem.exitCode, problem.reason)
                    return
                }
            }
            self.init(leaf: leaf, index: proof.inclusion.index, checkpoint: checkpoint)
        } catch let error as ArchiveError where error.isReadFailure {
            self = refused(ExitCode(error), error.message)
        } catch let error as TransparencyLogError {
            self = refused(error.code == .unknownKey ? .archiveKeyUnknown : .archiveTampered, error.message)
        } catch {
            self = refused(.archiveTampered, "\(error)")
        }
    }

    private init(exitCode: ExitCode, reason: String) {
        self.exitCode = exitCode
        self.reason = reason
        (leaf, index, checkpoint) = (nil, nil, nil)
    }

    private init(leaf: ArchiveLeaf, index: Int, checkpoint: VerifiedCheckpoint) {
        exitCode = .ok
        reason = nil
        (self.leaf, self.index, self.checkpoint) = (leaf, index, checkpoint)
    }

    private var rows: [(name: String, value: JSONValue)] {
        guard let leaf, let index, let checkpoint else {
            return [(OutputName.ok, .bool(false)), (OutputName.reason, .string(reason ?? ""))]
        }
        return [
            (OutputName.ok, .bool(true)), (OutputName.kind, .string(leaf.position.kind.name)),
            (OutputName.topic, .string(leaf.position.topic.rawValue)),
            (OutputName.partition, .integer(Int64(leaf.position.partition.rawValue))),
            (OutputName.offset, .integer(leaf.position.offset.rawValue)),
            (
                OutputName.timestamp,
                leaf.timestampMilliseconds.map { .string(Self.text($0)) } ?? .null
            ), (OutputName.archivedAt, .string(Self.text(leaf.archivedAtMilliseconds))),
            (OutputName.objectDigest, .string(leaf.objectDigest.hex)), (OutputName.leaf, .integer(Int64(index))),
            (OutputName.origin, .string(checkpoint.checkpoint.origin)),
            (OutputName.size, .integer(Int64(checkpoint.checkpoint.size))),
            (OutputName.root, .string(checkpoint.checkpoint.root.base64)),
            (
                OutputName.signedTime,
                checkpoint.time.map { .string(Self.text(Int64(clamping: $0).multipliedReportingOverflow(by: 1000).0)) }
                    ?? .null
            ),
        ]
    }

    var json: JSONObject { rows.reduce(into: [:]) { $0[$1.name] = $1.value } }

    var text: String {
        guard exitCode == .ok else { return "NOT PROVED: \(PlainText.printable(reason ?? ""))\n" }
        let table = rows.dropFirst().map { row -> [String] in
            switch row.value {
            case .string(let text): [row.name, PlainText.printable(text)]
            default: [row.name, String(decoding: row.value.json, as: UTF8.self)]
            }
        }
        return PlainText.table(Array(table)) + "proved: the record was in the archive when the checkpoint was signed\n"
    }

    private static func text(_ milliseconds: Int64) -> String {
        AppStoreInstant(clampingMillisecondsSince1970: milliseconds).description
    }
}
