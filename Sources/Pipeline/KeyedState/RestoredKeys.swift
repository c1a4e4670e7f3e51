internal import Bytes

/// The keys of rows that a restore has written into an empty database. No other key has a row, so other keys need not
/// be looked up.
struct RestoredKeys: Sendable {
    /// Maximum number of keys, about 1 MiB. With more keys, rows are looked up in the database again.
    private static let maximum = 98_000

    /// Whether rows published with the current fingerprint are copied from their records without being decoded.
    let takesRows: Bool

    private var hashes: Set<UInt64> = []

    /// Whether all keys are recorded; false once there were too many.
    private(set) var isComplete = true

    init(takesRows: Bool = false) { self.takesRows = takesRows }

    static func hash(_ key: [UInt8]) -> UInt64 { FNV1a.hash(key) }

    mutating func insert(_ key: [UInt8]) {
        guard isComplete else { return }
        hashes.insert(Self.hash(key))
        guard hashes.count > Self.maximum else { return }
        isComplete = false
        hashes = []
    }

    /// Returns whether the key may have a row. Also true for a key that has the same hash as a recorded one.
    func mayHold(_ key: [UInt8]) -> Bool { mayHold(Self.hash(key)) }

    /// Returns whether a key with this hash may have a row.
    func mayHold(_ hash: UInt64) -> Bool { !isComplete || hashes.contains(hash) }
}
