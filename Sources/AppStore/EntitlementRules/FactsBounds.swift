internal import JSON

/// Limits on the facts stored for a purchase, whatever its age.
///
/// Each renewal reads, merges, writes and publishes all stored facts, so their size determines the cost of a renewal. A
/// compact entry per transaction, about 30 bytes instead of 600, suffices to answer requests and to merge. Full details
/// are stored only for the transaction in Apple's latest statement.
///
/// Each bound keeps the greatest elements of a total order that does not depend on arrival: p(S) = "the greatest n of
/// S". An element among the greatest n of a union is among the greatest n of every part that contains it, so p(p(A) ∪
/// p(B)) = p(A ∪ B), and a bounded state is still a join. This assumes that Apple never changes the purchaseDate or the
/// kind of a transaction. If seats are added to a period, the period's first transaction moves from ``periods`` to
/// ``others``. This affects only purchases that exceed a bound, and then only the oldest transaction. Later statements
/// about a transaction below the bound are ignored. An erasure removes facts by signing date, not by that order, so the
/// order of arrival matters in one case: a purchase exceeded a bound, it was erased, and then a transaction below the
/// bound was signed again. The order of arrival then determines whether that one old transaction is known.
package enum FactsBounds {
    /// The maximum number of subscription periods; the latest by purchaseDate are kept. They cover half a year of
    /// weekly periods or two years of monthly ones, which is longer than Apple's refund window and the usual range of
    /// queries about the past.
    package static let periods = 24
    /// The maximum number of other transactions; the latest by purchaseDate are kept. The transactions of a period with
    /// added seats are needed while the period runs. A purchase has only one or a few one-time transactions.
    package static let others = 64
    /// The maximum number of notifications in the history; the latest by signedDate are kept.
    package static let events = 12
    /// Limits for version 1 notifications. `legacyTransactions` limits the statements about active and about ended
    /// transactions separately, and `legacyIds` limits the IDs of settled facts; the last ones received are kept.
    /// `legacyEvents` limits the history to the notifications with the latest dates.
    static let legacyTransactions = 16
    static let legacyIds = 16
    static let legacyEvents = 8
    /// The maximum number of upgrades; the latest by signedDate are kept. An upgrade is relevant until the end of the
    /// period that it replaced.
    static let upgrades = 8
    /// The maximum number of purchased periods; the latest are kept. They show whether a claim to the purchase still
    /// applies, because the customer's next purchase ends the claim.
    static let purchases = 4
    /// The maximum number of predecessors, and of successors; the earliest are kept.
    static let links = 8
    /// The maximum number of items in an Advanced Commerce transaction; `itemBytes` limits the total size of their
    /// SKUs.
    static let items = 32
    static let itemBytes = 1024
    /// The maximum size in bytes of a string from Apple that is stored verbatim.
    package static let textBytes = 256
    /// The maximum number of members per object that are unknown because a later version of this library wrote them;
    /// `unknownMemberBytes` limits the size of each name and each value.
    static let unknownMembers = 8
    static let unknownMemberBytes = 128

    /// Returns the text, or nil if it exceeds the limit.
    static func text(_ text: String) -> String? { text.utf8.count <= textBytes ? text : nil }

    /// Returns the unknown members to store: those within the size limit, up to the maximum number, in name order.
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
