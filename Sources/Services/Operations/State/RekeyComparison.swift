internal import Cryptography

/// How far a topic is a copy of a state by key.
struct RekeyComparison {
    /// Keys whose last record the target does not have as its last one.
    private(set) var missing: Set<SHA256Digest> = []
    /// Keys of the target whose last record is not from the source or that are in two partitions, and its records that no
    /// member reads.
    private(set) var foreign: Int

    init(source: StateRows, target: StateRows) {
        foreign = target.split.count + target.skipped
        for last in target.rows.values where !source.versions.contains(last.record) { foreign += 1 }
        for key in source.rows.keys where target.last(of: key) != source.last(of: key) { missing.insert(key) }
        for key in source.split.keys where target.last(of: key) != source.last(of: key) { missing.insert(key) }
    }
}
