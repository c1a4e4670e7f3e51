internal import Cryptography

/// A comparison of a target topic with its source, by key.
struct RekeyComparison {
    /// The keys whose last record is missing from the target or is not the last one there.
    private(set) var missing: Set<SHA256Digest> = []
    /// The number of differences in the target that only a writer other than this command can have caused: keys in
    /// several partitions, keys whose last record is not in the source, and records that members skip.
    private(set) var foreign: Int

    init(source: StateRows, target: StateRows) {
        foreign = target.split.count + target.skipped
        for last in target.rows.values where !source.versions.contains(last.record) { foreign += 1 }
        for key in source.rows.keys where target.last(of: key) != source.last(of: key) { missing.insert(key) }
        for key in source.split.keys where target.last(of: key) != source.last(of: key) { missing.insert(key) }
    }
}
