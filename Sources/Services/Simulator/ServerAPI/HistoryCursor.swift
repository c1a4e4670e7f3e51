internal import Primitives

/// A revision: a position in the results of one query, valid only for that query.
struct HistoryCursor {
    private let check: String

    init(of question: String) { check = String(FNV1a.hash(question.utf8), radix: 16) }

    func revision(at position: Int) -> String { "\(position)_\(check)" }

    /// - Throws: `invalidRequestRevision` if the revision is malformed or belongs to a different query.
    func position(of revision: String?) throws(ServerAPIError) -> Int? {
        guard let revision else { return nil }
        let parts = revision.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1] == check, let position = Int(parts[0]), position >= 0 else {
            throw .invalidRequestRevision
        }
        return position
    }
}
