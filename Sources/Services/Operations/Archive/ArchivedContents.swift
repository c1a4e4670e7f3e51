internal import ArchiveConfiguration
internal import ArchiveFormat
internal import ArchiveKeys
internal import Configuration
internal import Cryptography
internal import Kafka
internal import Lifecycle
internal import ObjectStorage

/// What an entry of the archive holds, as far as it can be read.
enum EntryContent: Sendable {
    case record(KafkaRecord)
    /// Offsets that the archive has no record of.
    case gap(ArchiveGap)
    /// The person was erased.
    case erased
    /// `archive.retention` is over.
    case expired
    /// Its segment is gone although its time is not over.
    case missing
    /// The key store does not have its key: it is another one, or was restored from an older backup.
    case keyUnknown

    /// A contract: the value of `content`; nil for a record.
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

/// An entry, and what of its record can be read.
struct ReadEntry: Sendable {
    let partition: KafkaTopicPartition
    let index: Int
    let leaf: ArchiveLeaf
    /// Nil where it is not encrypted, and where the key store was not asked.
    let keyId: ArchiveKeyId?
    let content: EntryContent

    var isMissing: Bool {
        if case .missing = content { true } else { false }
    }
}

/// Opens objects with the keys of the key store. Its calls wait for a disk.
struct ArchivedContents: Sendable {
    let keys: KeyStore

    init(_ keys: KeyStore) { self.keys = keys }

    /// - Throws: a `ConfigurationError` for a key store or a key file that cannot be used.
    init(_ configuration: Configuration, _ logs: ArchiveLogs) async throws(ConfigurationError) {
        self.init(try ArchivePlace.keyStore(configuration))
    }

    func close() { keys.close() }

    /// - Throws: as ``content(of:)``.
    func read(_ entry: FoundEntry, of partition: KafkaTopicPartition) throws -> ReadEntry {
        ReadEntry(
            partition: partition, index: entry.index, leaf: entry.leaf, keyId: try keys.keyId(of: entry.leaf),
            content: try content(of: entry))
    }

    /// - Throws: a ``StartupError`` for an object that is not what was archived, an ``ArchiveKeyError``.
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
        do throws(ArchiveFormatError) {
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
