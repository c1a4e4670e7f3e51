/// The search of an owned partition for rows that were published with a different fingerprint. No index contains the
/// fingerprint, so each pass reads all rows of the database. Times are monotonic milliseconds.
struct OtherFormSearch {
    /// Time between passes, in milliseconds, while the brokers refuse all remaining rows. A refused row keeps its
    /// fingerprint until a later attempt succeeds.
    static let pause: Int64 = 60_000

    /// Id of the last row found in this pass; 0 at its beginning.
    private(set) var cursor: Int64 = 0
    /// Whether the brokers refuse all rows found in this pass.
    private var areAllRefused = true
    private var nextPass = Int64.min

    func isDue(at now: Int64) -> Bool { now >= nextPass }

    /// Notes rows that the pass found, after their publication.
    ///
    /// - Parameters:
    ///   - id: the id of the last row.
    ///   - areRefused: whether the brokers refuse all of these rows.
    mutating func found(upTo id: Int64, areRefused: Bool) {
        cursor = id
        areAllRefused = areAllRefused && areRefused
    }

    /// Ends a pass.
    ///
    /// - Returns: whether the pass found no rows. Otherwise, another pass is needed, because some publications may have
    ///   failed or may still have to be read back.
    mutating func end(at now: Int64) -> Bool {
        let isComplete = cursor == 0
        nextPass = !isComplete && areAllRefused ? now + Self.pause : .min
        cursor = 0
        areAllRefused = true
        return isComplete
    }
}
