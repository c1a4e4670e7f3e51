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

    mutating func insert(_ key: [UInt8]) {
        guard isComplete else { return }
        hashes.insert(FNV1a.hash(key))
        guard hashes.count > Self.maximum else { return }
        isComplete = false
        hashes = []
    }

    /// Whether the key may have a row; also true for a key whose hash collides with another.
    func mayHold(_ key: [UInt8]) -> Bool { !isComplete || hashes.contains(FNV1a.hash(key)) }
}
