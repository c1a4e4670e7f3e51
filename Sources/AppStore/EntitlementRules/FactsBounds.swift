internal import JSON

/// How much is kept of one purchase, whatever its age.
///
/// A renewal reads, merges, writes and publishes everything that is kept, so what is kept decides its cost. Of every
/// transaction a compact entry is enough to answer and to merge, some 30 bytes instead of 600; of all details only
/// those of the transaction that Apple spoke of last are kept.
///
/// Each bound keeps the greatest elements of a total order that does not depend on arrival: p(S) = "the greatest n of
/// S". An element among the greatest n of a union is among the greatest n of every part that has it, so
/// p(p(A) ∪ p(B)) = p(A ∪ B), and a bounded state is still a join. It takes for granted that Apple never changes the
/// purchaseDate and the kind of a transaction; the first transaction of a period to which seats are added moves to the
/// other bound, which matters to a purchase that exceeds one, and then to its oldest transaction alone. What is below the bound is absorbed: statements about it change nothing
/// from then on. An erasure removes by date of signing and not by that order; only for a purchase that exceeded a
/// bound, was erased, and had a transaction below the bound signed again afterwards does the order of arrival decide
/// whether that one old transaction is known.
package enum FactsBounds {
    /// Periods of a subscription, the latest by purchaseDate. Half a year of weekly periods or two years of monthly
    /// ones: longer than Apple refunds, and than an answer "as of" a moment is usually asked for.
    package static let periods = 24
    /// Everything else, the latest by purchaseDate: transactions of periods with added seats, which count as long as the
    /// period runs, and one-time transactions, of which a purchase has one or few.
    package static let others = 64
    /// Notifications of the history, the latest by signedDate.
    package static let events = 12
    /// Transactions that version 1 notifications tell of, those that they cancel, and the ids of those that are settled:
    /// the latest by receipt. Such notifications of the history: the latest by date.
    static let legacyTransactions = 16
    static let legacyIds = 16
    static let legacyEvents = 8
    /// Upgrades, the latest by signedDate: they matter while the period that they end would still run.
    static let upgrades = 8
    /// Periods that the customer bought, the latest: a claim counts until the next one.
    static let purchases = 4
    /// Purchases that this one continues, or that continue it: the earliest.
    static let links = 8
    /// Items of an Advanced Commerce transaction: their number, and the bytes of all their SKUs.
    static let items = 32
    static let itemBytes = 1024
    /// Bytes of a text of Apple's that is kept as it came.
    package static let textBytes = 256
    /// Members written by a later version of this library, of one object: their number, and the bytes of each value.
    static let unknownMembers = 8
    static let unknownMemberBytes = 128

    /// Nil for a text that is too long to be kept.
    static func text(_ text: String) -> String? { text.utf8.count <= textBytes ? text : nil }

    /// The members that are kept of those that this version does not know: by name, the first that are short enough.
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
