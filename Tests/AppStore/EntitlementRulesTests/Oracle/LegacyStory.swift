/// One version 1 body (app-store.md 8.3, 12.3, 12.4), as far as it is about the purchase. Dates are milliseconds from the
/// begin of the story.
struct StatedBody: Hashable, Sendable {
    /// Type and subtype of version 2 that are nearest to the body's.
    var type: String
    var subtype: String?
    var received: Int64
    /// When it happened, as far as the body tells.
    var date: Int64
    /// The transaction that the body is about.
    var transaction: StatedTransaction
    /// The renewal of the newest transaction that was not upgraded.
    var renewal: StatedRenewal
    /// When that transaction begins.
    var newestStart: Int64

    /// The body says that the transaction was cancelled or replaced.
    var isEnding: Bool { transaction.revoked != nil || transaction.isUpgraded }
}

/// An answer of the App Store Server API to a question about what version 1 said.
struct StatedConfirmation: Hashable, Sendable {
    /// When Apple was asked: what was received until then is settled.
    var asked: Int64
    var received: Int64
    /// The newest transaction with status and renewal info, then signed copies of others.
    var statements: [AppleStatement]
}

/// Transactions, renewal and status of a subscription as Apple knew them at a moment.
struct AppleSnapshot: Sendable {
    var transactions: [StatedTransaction]
    var renewal: StatedRenewal
    var status: Int

    /// The one bought last.
    var newest: StatedTransaction? { transactions.max { ($0.start, $0.expires ?? 0) < ($1.start, $1.expires ?? 0) } }

    /// Whether the status still is what Apple would answer then, although nothing was told since.
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

/// A random life of one subscription of which version 1 tells, with what Apple signs about it in between: version 2
/// notifications, uploads, and answers to questions.
struct LegacyStory: Sendable {
    let seed: UInt64
    let settings: AccessSettings
    let deliveries: [AccessStory.Delivery]
    let bodies: [StatedBody]
    let confirmations: [StatedConfirmation]
    /// Moments to ask about, in order.
    let moments: [Int64]

    /// The customer upgraded after the next period had been renewed ahead, so that the newest transaction that was not
    /// upgraded begins before one that was. 12.4 does not say which of two bodies is the newer one then.
    var isUndecided: Bool { bodies.contains { $0.type != "REFUND" && $0.transaction.isUpgraded } }

    /// Everything signed that was received by then.
    func statements(receivedBy instant: Int64) -> [AppleStatement] {
        deliveries.filter { $0.received <= instant }.map(\.statement)
            + confirmations.filter { $0.received <= instant }.flatMap(\.statements)
    }

    /// The oracle of what was received by then.
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
