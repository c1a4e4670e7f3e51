internal import ArchiveFormat

/// What is known of recently used subjects, bounded: two generations, of which the older is dropped whole when the younger
/// is full. Dropping an entry overwrites its key as soon as nobody seals with it.
struct KeyCache {
    struct Entry {
        let mark: SubjectMark
        /// Nil where the subject has none now.
        var key: ArchiveDataKey?
        /// What was signed up to then gets no key.
        var erasedUpTo: Int64?
        /// The keys topic has the key, as the first of its subject.
        var isPublished = false
    }

    private let limit: Int
    private var young: [ArchiveSubject: Entry] = [:]
    private var old: [ArchiveSubject: Entry] = [:]

    /// - Parameter limit: entries of both generations together.
    init(limit: Int) { self.limit = max(1, limit / 2) }

    var count: Int { young.count + old.count }

    /// An entry that is asked for stays longer.
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
