/// The part of a version 1 body that concerns the purchase (app-store.md 8.3, 12.3, 12.4). Dates are milliseconds from
/// the start of the story.
struct StatedBody: Hashable, Sendable {
    /// The version 2 type and subtype closest to the body's.
    var type: String
    var subtype: String?
    var received: Int64
    /// The time of the event if the body contains it.
    var date: Int64
    /// The transaction that the body is about.
    var transaction: StatedTransaction
    /// The renewal of the newest transaction that was not upgraded.
    var renewal: StatedRenewal
    /// The start of the newest transaction.
    var newestStart: Int64

    /// Whether the body reports that the transaction was cancelled or replaced.
    var isEnding: Bool { transaction.revoked != nil || transaction.isUpgraded }
}

/// Apple's answer to a query about version 1 statements.
struct StatedConfirmation: Hashable, Sendable {
    /// The time of the query. Bodies received by then are settled.
    var asked: Int64
    var received: Int64
    /// The newest transaction with status and renewal info, followed by signed copies of others.
    var statements: [AppleStatement]
}

/// Apple's state of a subscription at a given time: transactions, renewal and status.
struct AppleSnapshot: Sendable {
    var transactions: [StatedTransaction]
    var renewal: StatedRenewal
    var status: Int

    /// The transaction bought last.
    var newest: StatedTransaction? { transactions.max { ($0.start, $0.expires ?? 0) < ($1.start, $1.expires ?? 0) } }

    /// Returns whether Apple would still answer with this status at a given time although it has sent no notification
    /// since.
    func isTrue(at instant: Int64) -> Bool {
        guard let end = newest?.expires else { return false }
        switch status {
        case 1: return end > instant
        case 3: return end + 60 * day > instant
        case 4: return renewal.graceExpires.map { $0 > instant } ?? false
        default: return true
        }
    }
}

/// A random life cycle of a subscription with version 1 notifications, interleaved with version 2 notifications,
/// uploads and answers to queries signed by Apple.
struct LegacyStory: Sendable {
    let seed: UInt64
    let settings: AccessSettings
    let deliveries: [AccessStory.Delivery]
    let bodies: [StatedBody]
    let confirmations: [StatedConfirmation]
    /// The times to query, in order.
    let moments: [Int64]

    /// Whether the customer upgraded after the next period had been renewed in advance. The newest transaction that was
    /// not upgraded then begins before one that was, and 12.4 does not define which of two bodies is newer.
    var isUndecided: Bool { bodies.contains { $0.type != "REFUND" && $0.transaction.isUpgraded } }

    /// Returns all signed statements received by a given time.
    func statements(receivedBy instant: Int64) -> [AppleStatement] {
        deliveries.filter { $0.received <= instant }.map(\.statement)
            + confirmations.filter { $0.received <= instant }.flatMap(\.statements)
    }

    /// Returns the oracle for everything received by a given time.
    func oracle(at instant: Int64) -> LegacyOracle {
        LegacyOracle(
            signed: statements(receivedBy: instant), bodies: bodies.filter { $0.received <= instant },
            asked: confirmations.filter { $0.received <= instant }.map(\.asked), settings: settings)
    }
}

extension LegacyStory: CustomStringConvertible {
    var description: String {
        var lines = deliveries.map { ($0.received, "received \(days($0.received)): \($0.statement)") }
        lines += bodies.map { ($0.received, "received \(days($0.received)): version 1 \($0)") }
        lines += confirmations.map { answer in
            let signed = answer.statements.map(String.init).joined(separator: "\n    ")
            return (answer.received, "asked \(days(answer.asked)), answered \(days(answer.received)): \(signed)")
        }
        let ordered = lines.sorted { $0.0 < $1.0 }.map(\.1)
        return (["seed \(seed), \(settings)"] + ordered).joined(separator: "\n")
    }
}

extension StatedBody: CustomStringConvertible {
    var description: String {
        let name = type + (subtype.map { "/" + $0 } ?? "")
        return "\(name) dated \(days(date)) \(transaction) \(renewal), newest from \(days(newestStart))"
    }
}
