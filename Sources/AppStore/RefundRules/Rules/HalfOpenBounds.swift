/// A range with an inclusive lower bound and an exclusive upper bound. Nil means no bound.
struct HalfOpenBounds: Hashable, Sendable {
    var from: Int64?
    var to: Int64?

    /// Returns whether the range contains the number, or false if the number is unknown.
    func contains(_ number: Int64?) -> Bool {
        guard let number else { return false }
        if let from, number < from { return false }
        if let to, number >= to { return false }
        return true
    }
}
