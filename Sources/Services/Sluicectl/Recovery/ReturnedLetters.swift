internal import Kafka
internal import Records

/// The dead letters that came back: they were replayed, then dead-lettered again by the same group for the same reason.
/// Sending them again would create a loop.
struct ReturnedLetters {
    private struct Failure: Hashable {
        let notificationUUID: String
        let group: String
        let reason: String
    }

    private var failures: Set<Failure> = []

    /// Adds the failure of a letter from the topic if the letter came back.
    mutating func add(_ letter: ReadDeadLetter) {
        if letter.isReturned, let failure = Self.failure(of: letter) { failures.insert(failure) }
    }

    /// Returns whether this letter, or a copy of the same notification, came back for the same reason.
    func contain(_ letter: ReadDeadLetter) -> Bool {
        letter.isReturned || Self.failure(of: letter).map(failures.contains) ?? false
    }

    private static func failure(of letter: ReadDeadLetter) -> Failure? {
        guard let id = letter.record.text(.id), let group = letter.group, let reason = letter.reason else { return nil }
        return Failure(notificationUUID: id.lowercased(), group: group, reason: reason)
    }
}

extension ReadDeadLetter {
    /// The failure as written into the header of a replayed record; nil without a group or a reason.
    var failure: String? {
        guard let group, let reason else { return nil }
        return "\(group) \(reason)"
    }

    /// Whether the record was replayed after the same failure in the same group.
    fileprivate var isReturned: Bool { failure.map { $0 == record.text(.replayReason) } ?? false }
}
