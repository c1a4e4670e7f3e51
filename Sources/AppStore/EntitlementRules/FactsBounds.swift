internal import JSON

/// Limits on the facts kept per purchase, whatever its age.
///
/// A renewal reads, merges, writes and publishes all kept facts, so their size determines its cost. A compact entry per
/// transaction, about 30 bytes instead of 600, is enough to answer requests and to merge; full details are kept only
/// for the transaction in Apple's latest statement.
///
/// Each bound keeps the greatest elements of a total order that does not depend on arrival: p(S) = "the greatest n of
/// S". An element among the greatest n of a union is among the greatest n of every part that contains it, so p(p(A) ∪
/// p(B)) = p(A ∪ B), and a bounded state is still a join. This assumes that Apple never changes the purchaseDate and
/// the kind of a transaction. If seats are added to a period, the first transaction of the period moves to the other
/// bound. This affects only purchases that exceed a bound, and then only the oldest transaction. A transaction below
/// the bound is absorbed: later statements about it change nothing. An erasure removes facts by signing date, not by
/// that order. The order of arrival therefore matters in one case: a purchase exceeded a bound, was erased, and a
/// transaction below the bound was signed again afterwards. The order then decides whether that one old transaction is
/// known.
package enum FactsBounds {
    /// Periods of a subscription: the latest by purchaseDate. They cover half a year of weekly periods or two years of
    /// monthly ones, which is longer than Apple's refund window and the usual range of queries about the past.
    package static let periods = 24
    /// All other transactions: the latest by purchaseDate. Transactions of periods with added seats count as long as
    /// the period runs; a purchase has only one or a few one-time transactions.
    package static let others = 64
    /// Notifications in the history: the latest by signedDate.
    package static let events = 12
    /// Transactions named by version 1 notifications, cancelled transactions, and ids of settled transactions: the
    /// latest by time of receipt. Version 1 notifications in the history: the latest by date.
    static let legacyTransactions = 16
    static let legacyIds = 16
    static let legacyEvents = 8
    /// Upgrades: the latest by signedDate. An upgrade matters as long as the period that it ended would still be
    /// running.
    static let upgrades = 8
    /// Periods that the customer bought: the latest. A claim applies until the next purchase.
    static let purchases = 4
    /// Purchases that this one continues or that continue this one: the earliest.
    static let links = 8
    /// Items of an Advanced Commerce transaction: the maximum number, and the maximum total bytes of SKUs.
    static let items = 32
    static let itemBytes = 1024
    /// Maximum size in bytes of a text from Apple that is kept verbatim.
    package static let textBytes = 256
    /// Unknown members per object, written by a later version of this library: the maximum number, and the maximum
    /// bytes per value.
    static let unknownMembers = 8
    static let unknownMemberBytes = 128

    /// Returns nil for a text that exceeds the limit.
    static func text(_ text: String) -> String? { text.utf8.count <= textBytes ? text : nil }

    /// Returns the unknown members to keep: the first ones by name, among those within the size limit.
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
