/// Access at a given time, in the terms of app-store.md 11.3 and 11.6.
struct AccessAnswer: Hashable, Sendable {
    var isEntitled: Bool
    var state: String
    var product: String
    /// The end of access in ACTIVE, GRACE and OWNED, or the end of the state in RETRY, in milliseconds from the start
    /// of the story. Otherwise nil.
    var until: Int64?
    /// The seats of a subscription with access.
    var seats: Int64?
    /// The unrevoked items of an Advanced Commerce subscription with access.
    var items: [String]?
    /// The units of a consumable.
    var credited: Int64?
    var debited: Int64?
}

extension AccessAnswer: CustomStringConvertible {
    var description: String {
        var text = "\(isEntitled ? "yes" : "no") \(state) \(product)"
        if let until { text += " until \(days(until))" }
        if let seats { text += ", \(seats) seats" }
        if let items { text += ", items \(items.joined(separator: " "))" }
        if let credited, let debited { text += ", \(credited) units - \(debited)" }
        return text
    }
}
