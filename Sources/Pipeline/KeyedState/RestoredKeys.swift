internal import Bytes

/// The keys whose rows a restore has written into an empty database. No other key has a row, so none is looked for.
struct RestoredKeys: Sendable {
    /// 1 MiB; with more keys rows are looked for again.
    private static let maximum = 98_000

    /// Rows of this form are taken out of their records without being read.
    let takesRows: Bool

    private var hashes: Set<UInt64> = []

    /// False when there are too many keys.
    private(set) var isComplete = true

    init(takesRows: Bool = false) { self.takesRows = takesRows }

    mutating func insert(_ key: [UInt8]) {
        guard isComplete else { return }
        hashes.insert(FNV1a.hash(key))
        guard hashes.count > Self.maximum else { return }
        isComplete = false
        hashes = []
    }

    /// Whether there may be a row: true too for a key with the hash of another.
    func mayHold(_ key: [UInt8]) -> Bool { !isComplete || hashes.contains(FNV1a.hash(key)) }
}
