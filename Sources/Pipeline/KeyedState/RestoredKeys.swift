internal import Bytes

/// The keys whose rows a restore has written into an empty database. No other key has a row, so none is looked up.
struct RestoredKeys: Sendable {
    /// Corresponds to 1 MiB; with more keys, rows are looked up in the database again.
    private static let maximum = 98_000

    /// Whether rows of this form are copied from their records without being decoded.
    let takesRows: Bool

    private var hashes: Set<UInt64> = []

    /// Whether all keys are recorded; false after too many.
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

    /// Whether the key may have a row; also true for a key whose hash collides with another.
    func mayHold(_ key: [UInt8]) -> Bool { mayHold(Self.hash(key)) }

    /// Whether a key with this hash may have a row.
    func mayHold(_ hash: UInt64) -> Bool { !isComplete || hashes.contains(hash) }
}
