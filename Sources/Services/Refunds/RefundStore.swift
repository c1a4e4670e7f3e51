internal import AppStoreModel
internal import Kafka
internal import KeyedState
internal import Records
internal import RefundRules

/// Access to the cases and preferences needed to process one round.
protocol RefundStore: Sendable {
    /// Proposes an answer for its round. Returns once the round's winner is known.
    ///
    /// - Returns: whether this answer won.
    func propose(_ answer: FrozenAnswer, for refund: RefundCase) async throws -> Bool
    /// Merges part of a case. Returns once the part has been read back.
    func record(_ contribution: RefundCase) async throws
    /// Returns the time, on Apple's clock, of the last RESCIND_CONSENT notification for the case's customer, or nil if
    /// none is known.
    func consentRescindedAt(_ refund: RefundCase) async throws -> AppStoreInstant?
    /// Returns the history of the case's customer, excluding this case, or nil if the customer is unknown.
    func history(of refund: RefundCase) async throws -> CustomerHistory?
    /// Returns the preference that the company recorded for the case's customer, or nil if there is none.
    ///
    /// - Throws: ``UnreadablePreference`` if one of the customer's records is unreadable.
    func preference(of refund: RefundCase) async throws -> RefundPreference?
}

/// Counts of a customer's other transactions.
struct CustomerHistory: Hashable, Sendable {
    /// The number of refunded transactions.
    var refunds: Int64 = 0
    /// The number of transactions with a refund request.
    var requests: Int64 = 0
}

/// The preference is unknown because a record in `appstore.refunds.preferences` is unreadable or the topic is not being
/// read.
struct UnreadablePreference: Error, CustomStringConvertible {
    let description: String
}

/// The implementation that reads cases from the refund topics and preferences from the preferences topic.
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
    /// An empty case with the same identity, to which parts can be added.
    var identity: RefundCase {
        RefundCase(environment: environment, bundleId: bundleId, transactionId: transactionId)
    }
}
