internal import Bytes

/// Which lane of a partition a record goes to: by its key, so that records of one key stay in order; records without a
/// key go round.
struct LaneChoice: Sendable {
    private let lanes: Int
    private var lastWithoutKey = 0

    init(lanes: Int) {
        self.lanes = max(1, lanes)
    }

    /// A number from 0 to the number of lanes less 1.
    mutating func lane(for key: [UInt8]?) -> Int {
        guard let key else {
            lastWithoutKey = (lastWithoutKey + 1) % lanes
            return lastWithoutKey
        }
        // FNV-1a.
        let hash = FNV1a.hash(key)
        return Int(hash % UInt64(lanes))
    }
}
