internal import ArchiveLog

/// A bounded cache of the keys and erasures of recently used subjects. It has two generations and drops the older one
/// when the younger one is full. The key in a dropped entry is overwritten once no encryption uses it.
struct KeyCache {
    struct Entry {
        let mark: SubjectMark
        /// The key; nil if the subject currently has none.
        var key: ArchiveDataKey?
        /// Records signed up to this time, in milliseconds since 1970, get no key.
        var erasedUpTo: Int64?
        /// Whether this key is the subject's first key in the keys topic.
        var isPublished = false
    }

    private let limit: Int
    private var young: [ArchiveSubject: Entry] = [:]
    private var old: [ArchiveSubject: Entry] = [:]

    /// - Parameter limit: the maximum total number of entries in both generations.
    init(limit: Int) { self.limit = max(1, limit / 2) }

    var count: Int { young.count + old.count }

    /// Returns the entry for a subject and moves it to the younger generation.
    mutating func entry(of subject: ArchiveSubject) -> Entry? {
        if let entry = young[subject] { return entry }
        guard let entry = old.removeValue(forKey: subject) else { return nil }
        insert(entry, of: subject)
        return entry
    }

    mutating func insert(_ entry: Entry, of subject: ArchiveSubject) {
        if young.count >= limit, young[subject] == nil {
            old = young
            young = [:]
        }
        young[subject] = entry
        old[subject] = nil
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
