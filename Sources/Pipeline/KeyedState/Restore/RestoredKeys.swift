internal import Primitives

/// The keys and ids of the rows that a restore has written into an empty database. No other key has a row, so other
/// keys need not be looked up, and these keys need no index.
struct RestoredKeys: Sendable {
    /// The maximum number of keys per partition (about 2 MiB) and in all partitions together. If there are more keys,
    /// rows are looked up in the database instead.
    private static let (maximum, total) = (98_000, 2_400_000)

    /// Whether rows published with the current fingerprint are copied from their records without being decoded.
    let takesRows: Bool

    private let maximum: Int
    /// The id of each key's row, by the key's hash; 0 until the row is committed.
    private var ids: [UInt64: Int64] = [:]

    /// Whether all keys are recorded. False once the maximum has been exceeded or two keys have had the same hash.
    private(set) var isComplete = true

    /// - Parameter partitions: number of partitions of the topic, which share the maximum number of keys.
    init(takesRows: Bool = false, partitions: Int32 = 1) {
        self.takesRows = takesRows
        maximum = min(Self.maximum, Self.total / Int(max(1, partitions)))
    }

    static func hash(_ key: [UInt8]) -> UInt64 { FNV1a.hash(key) }

    static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 { FNV1a.hash(key) }

    /// Notes that a key has a row.
    ///
    /// - Parameter id: the row id; 0 until the row is committed, and again once it is deleted.
    mutating func insert(_ key: [UInt8], id: Int64 = 0) { insert(Self.hash(key), id: id) }

    /// Notes that the key with this hash has a row.
    mutating func insert(_ hash: UInt64, id: Int64) {
        guard isComplete else { return }
        let known = ids.updateValue(id, forKey: hash) ?? 0
        // A different id means that another key has the same hash, or that the row was deleted and inserted again.
        guard ids.count > maximum || known != 0 && id != 0 && known != id else { return }
        isComplete = false
        ids = [:]
    }

    /// Returns whether the key may have a row. Also true for a key that has the same hash as a recorded one.
    func mayHold(_ key: [UInt8]) -> Bool { mayHold(Self.hash(key)) }

    /// Returns whether a key with this hash may have a row.
    func mayHold(_ hash: UInt64) -> Bool { !isComplete || ids[hash] != nil }

    /// Returns the id of a key's row; 0 if no row for the key is committed, nil if the id is unknown.
    func id(of key: [UInt8]) -> Int64? { isComplete ? ids[Self.hash(key), default: 0] : nil }
}
