internal import AppStoreModel
internal import Kafka
internal import KeyedState
internal import Records
internal import RefundCases
internal import RefundRules

/// Cases and preferences as the work on one round sees them.
protocol RefundStore: Sendable {
    /// Proposes an answer for the round that it was decided for, and returns when the winner of that round is known.
    ///
    /// - Returns: whether it is this one.
    func propose(_ answer: FrozenAnswer, for refund: RefundCase) async throws -> Bool
    /// Merges a part of a case into it, and returns when it was read back.
    func record(_ contribution: RefundCase) async throws
    /// The last RESCIND_CONSENT of the customer of a case, by Apple's clock.
    func consentRescindedAt(_ refund: RefundCase) async throws -> AppStoreInstant?
    /// The other cases of the customer; nil where the customer is unknown.
    func history(of refund: RefundCase) async throws -> CustomerHistory?
    /// The preference that the company recorded for the customer of a case; nil for none.
    ///
    /// - Throws: ``UnreadablePreference`` where a record of the customer cannot be read.
    func preference(of refund: RefundCase) async throws -> RefundPreference?
}

/// Other transactions of one customer.
struct CustomerHistory: Hashable, Sendable {
    /// Transactions that are refunded.
    var refunds: Int64 = 0
    /// Transactions that a refund was asked for.
    var requests: Int64 = 0
}

/// A record of `appstore.refunds.preferences` that cannot be read, or a topic that is not read: the company's word is not
/// known.
struct UnreadablePreference: Error, CustomStringConvertible {
    let description: String
}

/// Cases in the topics of refunds, preferences in theirs.
struct KeyedRefundStore: RefundStore {
    let state: KeyedState<RefundsModel>
    let preferences: PreferenceFollower
    let topics: TopicNames

    private static let maximumCases = 1_000

    func propose(_ answer: FrozenAnswer, for refund: RefundCase) async throws -> Bool {
        try await state.propose(answer.json, for: refund.identity, in: input(of: refund)).isOwn
    }

    func record(_ contribution: RefundCase) async throws {
        _ = try await state.contribute(
            to: RefundsModel.key(contribution.bundleId, contribution.transactionId), from: input(of: contribution),
            orTo: contribution.identity
        ) { _ in contribution }
    }

    func consentRescindedAt(_ refund: RefundCase) async throws -> AppStoreInstant? {
        guard let id = refund.transaction?.appTransactionId else { return nil }
        let key = RefundsModel.key(refund.bundleId, TransactionId(id.rawValue))
        let topic = topics.refunds(refund.environment)
        return try await state.reader().read { view in try view.state(of: key, in: topic)?.consentRescindedAt }
    }

    func history(of refund: RefundCase) async throws -> CustomerHistory? {
        let entries = RefundsModel.customer(of: refund)
        guard !entries.isEmpty else { return nil }
        let topic = topics.refunds(refund.environment)
        return try await state.reader().read { view in
            var history = CustomerHistory()
            var seen: Set<TransactionId> = [refund.transactionId]
            for entry in entries {
                for other in try view.states(under: entry, in: topic, atMost: Self.maximumCases)
                where other.bundleId == refund.bundleId && seen.insert(other.transactionId).inserted {
                    if other.isRefunded { history.refunds += 1 }
                    if !other.requests.isEmpty { history.requests += 1 }
                }
            }
            return history
        }
    }

    func preference(of refund: RefundCase) async throws -> RefundPreference? {
        let keys = [refund.transaction?.appAccountToken?.rawValue, refund.transaction?.appTransactionId?.rawValue]
        return try preferences.preference(of: keys.compactMap(\.self))
    }

    private func input(of refund: RefundCase) -> KafkaTopic { topics.notifications(refund.environment) }
}

extension RefundCase {
    /// The case without its parts, to which they are added.
    var identity: RefundCase {
        RefundCase(environment: environment, bundleId: bundleId, transactionId: transactionId)
    }
}
