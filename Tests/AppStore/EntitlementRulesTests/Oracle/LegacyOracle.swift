/// Access with known version 1 bodies, written only from app-store.md 12.4. The facts from the bodies are joined by
/// kind, facts settled by Apple's answers are dropped, and the remaining facts apply according to the app's policy.
struct LegacyOracle: Sendable {
    static let settlingTime = 5 * minute

    /// All signed statements received.
    let signed: [AppleStatement]
    let bodies: [StatedBody]
    /// The times of the queries that Apple has answered.
    let asked: [Int64]
    let settings: AccessSettings

    /// Access according to signed statements alone. This is the answer under `observe`, and under `confirm` for signed
    /// purchases.
    let bySignature: AccessOracle

    init(signed: [AppleStatement], bodies: [StatedBody], asked: [Int64], settings: AccessSettings) {
        (self.signed, self.bodies, self.asked, self.settings) = (signed, bodies, asked, settings)
        bySignature = AccessOracle(signed, settings: settings)
    }

    /// An interpretation of 12.4 where it is ambiguous. The last choice is not an ambiguity: a record contains only the
    /// transaction of the body, so a refund of an earlier period shows only the renewal of the current one.
    struct Reading: Sendable {
        /// Whether the later expiry of a transaction applies although Apple signed an earlier one before.
        var isLonger = false
        /// Whether a signed status remains valid after the renewal info from the same statement was replaced.
        var keepsStatus = false
        /// Whether a failure becomes void when a later period begins, rather than when the period becomes known.
        var isVoidLate = false
        /// Whether renewal facts are ordered by the transaction that the body is about, rather than by its newest
        /// transaction.
        var isBySubject = false

        static let all = (0..<16).map {
            Reading(
                isLonger: $0 & 1 != 0, keepsStatus: $0 & 2 != 0, isVoidLate: $0 & 4 != 0, isBySubject: $0 & 8 != 0)
        }
    }

    /// Returns the answers that 12.4 allows at a given time under `accept`.
    func accepted(at instant: Int64) -> [AccessOracle] {
        let isAboutNewest = bodies.allSatisfy { $0.transaction.start == $0.newestStart }
        let isClear = isAboutNewest && unsettledRenewal(Reading()) == nil && !hasLongerTransaction
        return (isClear ? [Reading()] : Reading.all).filter { !($0.isBySubject && isAboutNewest) }.map {
            AccessOracle(statements($0, at: instant), settings: settings)
        }
    }

    /// Whether a refund was reversed without a version 1 notification and the app uploaded the transaction. 11.3 does
    /// not specify whether an older status 5 then remains valid.
    var isReversedUntold: Bool {
        guard let status = bySignature.statuses.last, status.status == 5 else { return false }
        return bySignature.transactions.contains { $0.revoked == nil && $0.signed > status.statusSigned }
    }

    // MARK: Joined by kind

    private var added: [StatedBody] {
        Dictionary(grouping: bodies.filter { !$0.isEnding }, by: \.transaction.id).values.compactMap { bodies in
            bodies.max { ($0.transaction.expires ?? 0, $0.received) < ($1.transaction.expires ?? 0, $1.received) }
        }
    }

    private var endings: [StatedBody] {
        Dictionary(grouping: bodies.filter(\.isEnding), by: \.transaction.id).values.compactMap { bodies in
            bodies.max { ($0.transaction.revoked ?? 0, $0.received) < ($1.transaction.revoked ?? 0, $1.received) }
        }
    }

    private func newestRenewal(_ reading: Reading) -> StatedBody? {
        bodies.max { one, other in
            (reading.start(of: one), one.date, one.received) < (reading.start(of: other), other.date, other.received)
        }
    }

    // MARK: Settled

    private func isListed(_ body: StatedBody) -> Bool { asked.contains { $0 >= body.received } }

    private func isSignedLater(_ moment: Int64, than body: StatedBody) -> Bool {
        moment > body.received + Self.settlingTime
    }

    private func copy(of id: String) -> StatedTransaction? { bySignature.transactions.first { $0.id == id } }

    /// Returns whether a transaction is settled. A transaction newer than all signed ones is settled only by its signed
    /// copy.
    private func isTransactionSettled(_ body: StatedBody) -> Bool {
        if let copy = copy(of: body.transaction.id) {
            return isListed(body) || isSignedLater(copy.signed, than: body)
        }
        let newest = bySignature.transactions.map(\.start).max()
        return isListed(body) && newest.map { body.transaction.start <= $0 } ?? false
    }

    /// Returns whether a signed copy of the transaction settles its cancellation: the copy either shows the
    /// cancellation or was signed so much later that it would have to show it.
    private func isEndingSettled(_ body: StatedBody) -> Bool {
        guard let copy = copy(of: body.transaction.id) else { return false }
        let isReplaced = bySignature.upgrades.contains { bySignature.isReplaced(copy, by: $0) }
        return copy.revoked != nil || copy.isUpgraded || isReplaced || isSignedLater(copy.signed, than: body)
    }

    private func unsettledRenewal(_ reading: Reading) -> StatedBody? {
        guard let body = newestRenewal(reading), !isListed(body) else { return nil }
        return bySignature.renewal.map { isSignedLater($0.signed, than: body) } ?? false ? nil : body
    }

    private var unsettledAdded: [StatedBody] { added.filter { !isTransactionSettled($0) } }

    private var hasLongerTransaction: Bool {
        unsettledAdded.contains { body in
            copy(of: body.transaction.id).map { $0.expires ?? .max < body.transaction.expires ?? 0 } ?? false
        }
    }

    // MARK: Accepted

    private func statements(_ reading: Reading, at instant: Int64) -> [AppleStatement] {
        var transactions: [StatedTransaction] = []
        for body in unsettledAdded {
            if let copy = copy(of: body.transaction.id) {
                guard reading.isLonger, copy.expires ?? .max < body.transaction.expires ?? 0 else { continue }
                transactions.append(copy.changed(signed: copy.signed + 1) { $0.expires = body.transaction.expires })
            } else {
                transactions.append(body.transaction.changed(signed: body.received) { _ in })
            }
        }
        for body in endings where !isEndingSettled(body) {
            let known = transactions.first { $0.id == body.transaction.id } ?? copy(of: body.transaction.id)
            transactions.append(
                (known ?? body.transaction).changed(signed: max(known?.signed ?? 0, body.received) + 1) {
                    ($0.revoked, $0.isUpgraded) = (body.transaction.revoked, body.transaction.isUpgraded)
                })
        }
        let unsigned = transactions.map { AppleStatement(signed: $0.signed, transaction: $0) }
        guard let body = unsettledRenewal(reading) else { return signed + unsigned }
        var replaced = signed
        for index in replaced.indices {
            replaced[index].renewal = nil
            if !reading.keepsStatus { replaced[index].status = nil }
        }
        return replaced + unsigned + [renewal(of: body, beside: signed + unsigned, reading, at: instant)]
    }

    /// Returns the renewal in a body. Its retry, grace and intent are void as soon as a later period is known.
    private func renewal(
        of body: StatedBody, beside statements: [AppleStatement], _ reading: Reading, at instant: Int64
    ) -> AppleStatement {
        var renewal = body.renewal
        renewal.signed = body.received
        let limit = reading.isVoidLate ? instant : .max
        let later = AccessOracle(statements).candidates.filter {
            $0.start > reading.start(of: body) && $0.start <= limit
        }
        if !later.isEmpty {
            (renewal.isInRetry, renewal.graceExpires, renewal.intent) = (nil, nil, nil)
        }
        return AppleStatement(signed: body.received, renewal: renewal)
    }
}

extension LegacyOracle.Reading {
    /// Returns the start of the period that a body's renewal facts concern.
    fileprivate func start(of body: StatedBody) -> Int64 { isBySubject ? body.transaction.start : body.newestStart }
}

extension StatedTransaction {
    fileprivate func changed(signed: Int64, _ change: (inout StatedTransaction) -> Void) -> StatedTransaction {
        var copy = self
        copy.signed = signed
        change(&copy)
        return copy
    }
}
