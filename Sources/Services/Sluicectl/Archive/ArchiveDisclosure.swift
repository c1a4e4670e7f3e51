internal import ArchiveLog
internal import Cryptography
internal import JSON
internal import Lifecycle
internal import Primitives
internal import TransparencyLog

/// One record of the archive with its proof and the key of its object. A reader who has only the archive's public key
/// can use the disclosure to read this record, and no other. The format is a public contract:
/// `sluice-archive/disclosure@v1`.
struct ArchiveDisclosure {
    static let maximumByteCount = 64 << 20
    private static let format = "sluice-archive/disclosure@v1"

    /// The proof, with the leaf as its extra data (c2sp.org/tlog-proof).
    let proof: TlogProof
    let object: [UInt8]
    /// The object's key, or nil if the object is not encrypted.
    let recordKey: ArchiveRecordKey?

    init(proof: TlogProof, object: [UInt8], recordKey: ArchiveRecordKey?) {
        self.proof = proof
        self.object = object
        self.recordKey = recordKey
    }

    /// The contents of the file: one JSON object.
    var bytes: [UInt8] {
        var writer = JSONWriter(reservingCapacity: object.count * 2)
        writer.object { file in
            file.set("format", Self.format)
            file.set("proof", String(decoding: proof.bytes, as: UTF8.self))
            file.set("object", String(decoding: Base64.encode(object), as: UTF8.self))
            file.set("recordKey", recordKey.map { $0.secret.withUnsafeBytes { HexText.encode($0) } })
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// Parses a disclosure file.
    ///
    /// - Throws: ``DisclosureRefusal`` if the file is not a disclosure.
    init(bytes: [UInt8]) throws(DisclosureRefusal) {
        func refused(_ reason: String) -> DisclosureRefusal { DisclosureRefusal(.archiveTampered, reason) }
        guard let root = try? JSONDocument.object(bytes, maximumBytes: Self.maximumByteCount).root,
            root["format"]?.string == Self.format
        else { throw refused("the file is not a \(Self.format) disclosure") }
        do throws(TransparencyLogError) {
            proof = try TlogProof(bytes: root["proof"]?.textBytes ?? [])
        } catch { throw refused("the proof: \(error.message)") }
        guard let text = root["object"]?.textBytes, let object = try? text.withUnsafeBytes({ try Base64.decode($0) })
        else { throw refused("the object is not base64") }
        self.object = object
        if let key = root["recordKey"], !key.isNull {
            guard let bytes = key.string.flatMap({ HexText.decode($0) }), let own = ArchiveRecordKey(disclosed: bytes)
            else { throw refused("the record key is not \(2 * ArchiveRecordKey.byteCount) hexadecimal digits") }
            recordKey = own
        } else {
            recordKey = nil
        }
    }

    /// The content of a verified disclosure.
    struct Shown {
        let leaf: ArchiveLeaf
        let index: Int
        let checkpoint: VerifiedCheckpoint
        let content: EntryContent
    }

    /// Verifies that the checkpoint is valid, that its tree includes the leaf, and that the object matches the leaf;
    /// then decrypts the object.
    ///
    /// - Parameter verifiers: the archive's keys, or nil to skip the signature check for a disclosure that is being
    ///   created.
    func verify(_ verifiers: ArchiveVerifiers?) throws(DisclosureRefusal) -> Shown {
        let checkpoint: VerifiedCheckpoint
        do throws(ArchiveError) {
            checkpoint = try VerifiedCheckpoint(proof.note, of: nil, verifiers: verifiers)
        } catch { throw DisclosureRefusal(ExitCode(error), error.message) }
        guard let entry = proof.extra else {
            throw DisclosureRefusal(.archiveTampered, "the proof does not include the disclosed leaf")
        }
        let tree = checkpoint.checkpoint
        guard proof.inclusion.proves(.leaf(entry), size: tree.size, root: tree.root) else {
            throw DisclosureRefusal(.archiveTampered, "the leaf is not in the checkpoint's tree")
        }
        do throws(ArchiveError) {
            let leaf = try ArchiveLeaf(bytes: entry)
            guard tree.origin.hasSuffix("/\(leaf.position.topic)/\(leaf.position.partition)") else {
                throw ArchiveError(.malformedLeaf, "the leaf and the checkpoint belong to different logs")
            }
            return Shown(
                leaf: leaf, index: proof.inclusion.index, checkpoint: checkpoint, content: try content(of: leaf))
        } catch { throw DisclosureRefusal(.archiveTampered, error.message) }
    }

    private func content(of leaf: ArchiveLeaf) throws(ArchiveError) -> EntryContent {
        let opened: ArchiveContent
        if let recordKey {
            opened = try ArchiveObject.open(object, of: leaf, recordKey: recordKey)
        } else {
            opened = try ArchiveObject.open(object, of: leaf)
        }
        return switch opened {
        case .record(let record): .record(record.record(of: leaf))
        case .gap(let gap): .gap(gap)
        case .erased: .erased
        }
    }
}

/// The reason that a disclosure is unusable.
struct DisclosureRefusal: Error {
    let exitCode: ExitCode
    let reason: String

    init(_ exitCode: ExitCode, _ reason: String) {
        self.exitCode = exitCode
        self.reason = reason
    }
}
