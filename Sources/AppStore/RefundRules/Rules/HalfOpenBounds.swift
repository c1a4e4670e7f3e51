/// From a number, inclusive, to another, exclusive; nil is no bound.
struct HalfOpenBounds: Hashable, Sendable {
    var from: Int64?
    var to: Int64?

    /// False for what is unknown.
    func contains(_ number: Int64?) -> Bool {
        guard let number else { return false }
        if let from, number < from { return false }
        if let to, number >= to { return false }
        return true
    }
}
