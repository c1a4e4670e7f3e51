internal import ArchiveKeys
internal import ArchiveLog
internal import Configuration
internal import Cryptography
internal import Kafka
internal import Lifecycle
internal import ObjectStorage

/// The readable content of an archive entry.
enum EntryContent: Sendable {
    case record(KafkaRecord)
    /// A range of offsets for which the archive has no records.
    case gap(ArchiveGap)
    /// The record was erased because its subject was erased.
    case erased
    /// The record was deleted at the end of its retention period (`archive.retention`).
    case expired
    /// The record is missing although its retention period has not ended.
    case missing
    /// The record is encrypted under a key that is not in the key store: this is a different key store, or it was
    /// restored from an older backup.
    case keyUnknown

    /// The value of `content` in the output, or nil for a record. These values are a public contract.
    var name: String? {
        switch self {
        case .record: nil
        case .gap: "gap"
        case .erased: "erased"
        case .expired: "expired"
        case .missing: "missing"
        case .keyUnknown: "key_unknown"
        }
    }
}

/// An entry and the readable content of its record.
struct ReadEntry: Sendable {
    let partition: KafkaTopicPartition
    let index: Int
    let leaf: ArchiveLeaf
    /// The key's id, or nil if the object is not encrypted or the key store was not queried.
    let keyId: ArchiveKeyId?
    let content: EntryContent

    var isMissing: Bool {
        if case .missing = content { true } else { false }
    }
}

/// Decrypts objects with keys from the key store. Calls block on disk access.
struct ArchivedContents: Sendable {
    let keys: KeyStore

    init(_ keys: KeyStore) { self.keys = keys }

    /// - Throws: a `ConfigurationError` if a key store or key file cannot be used.
    init(_ configuration: Configuration, _ logs: ArchiveLogs) async throws(ConfigurationError) {
        self.init(try ArchivePlace.keyStore(configuration))
    }

    func close() { keys.close() }

    /// - Throws: the same errors as ``content(of:)``.
    func read(_ entry: FoundEntry, of partition: KafkaTopicPartition) throws -> ReadEntry {
        ReadEntry(
            partition: partition, index: entry.index, leaf: entry.leaf, keyId: try keys.keyId(of: entry.leaf),
            content: try content(of: entry))
    }

    /// - Throws: a ``StartupError`` if an object differs from the archived one, or an ``ArchiveError``.
    func content(of entry: FoundEntry) throws -> EntryContent {
        if entry.leaf.isErasedOnArrival { return .erased }
        let object: [UInt8]
        switch entry.object {
        case .present(let bytes): object = bytes
        case .expired: return .expired
        case .missing: return .missing
        }
        var secret: SecretKey?
        if let id = try keys.keyId(of: entry.leaf) {
            switch try keys.dataKey(id) {
            case .usable(let key): secret = key
            case .destroyed: return .erased
            case .unknown: return .keyUnknown
            }
        }
        do throws(ArchiveError) {
            switch try ArchiveObject.open(object, of: entry.leaf, key: secret) {
            case .record(let record): return .record(record.record(of: entry.leaf))
            case .gap(let gap): return .gap(gap)
            case .erased: return .erased
            }
        } catch {
            throw StartupError.unsound("\(entry.leaf.position): \(error.message)")
        }
    }
}
