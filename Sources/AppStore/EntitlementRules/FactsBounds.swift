internal import JSON

/// Limits on the facts kept per purchase, regardless of its age.
///
/// A renewal reads, merges, writes and publishes all kept facts, so their size decides its cost. A compact entry per
/// transaction, some 30 bytes instead of 600, is enough to answer and to merge; full details are kept only for the
/// transaction of Apple's latest statement.
///
/// Each bound keeps the greatest elements of a total order that does not depend on arrival: p(S) = "the greatest n of
/// S". An element among the greatest n of a union is among the greatest n of every part that contains it, so p(p(A) ∪
/// p(B)) = p(A ∪ B), and a bounded state is still a join. This assumes that Apple never changes the purchaseDate and
/// the kind of a transaction. The first transaction of a period to which seats are added moves to the other bound,
/// which affects only a purchase that exceeds a bound, and then only its oldest transaction. A transaction below the
/// bound is absorbed: later statements about it change nothing. An erasure removes by signing date and not by that
/// order. The order of arrival therefore matters in one case: a purchase exceeded a bound, was erased, and a
/// transaction below the bound was signed again afterwards. It then decides whether that one old transaction is known.
package enum FactsBounds {
    /// Periods of a subscription: the latest by purchaseDate. They cover half a year of weekly periods or two years of
    /// monthly ones, which is longer than Apple's refund window and the usual range of queries about the past.
    package static let periods = 24
    /// All other transactions: the latest by purchaseDate. Transactions of periods with added seats count as long as
    /// the period runs; a purchase has one or few one-time transactions.
    package static let others = 64
    /// Notifications in the history: the latest by signedDate.
    package static let events = 12
    /// Transactions named by version 1 notifications, those that were cancelled, and the ids of settled ones: the
    /// latest by receipt. Version 1 notifications in the history: the latest by date.
    static let legacyTransactions = 16
    static let legacyIds = 16
    static let legacyEvents = 8
    /// Upgrades: the latest by signedDate. An upgrade matters while the period that it ended would still run.
    static let upgrades = 8
    /// Periods bought by the customer: the latest. A claim applies until the next purchase.
    static let purchases = 4
    /// Purchases that this one continues or that continue it: the earliest.
    static let links = 8
    /// Items of an Advanced Commerce transaction: their number, and the total bytes of their SKUs.
    static let items = 32
    static let itemBytes = 1024
    /// Maximum size in bytes of an Apple text that is kept verbatim.
    package static let textBytes = 256
    /// Unknown members per object, written by a later version of this library: their number, and the bytes of each
    /// value.
    static let unknownMembers = 8
    static let unknownMemberBytes = 128

    /// Returns nil for a text that exceeds the limit.
    static func text(_ text: String) -> String? { text.utf8.count <= textBytes ? text : nil }

    /// Returns the unknown members to keep: the first by name among those within the size limit.
    static func members(_ members: JSONObject) -> JSONObject {
        var kept = JSONObject()
        for name in members.names.sorted() where kept.members.count < unknownMembers {
            guard name.utf8.count <= unknownMemberBytes, let value = members[name],
                value.json.count <= unknownMemberBytes
            else { continue }
            kept[name] = value
        }
        return kept
    }
}
