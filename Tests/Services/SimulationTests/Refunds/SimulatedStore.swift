import AppStoreModel
import Kafka
import KeyedState
import Records
import RefundRules

@testable import Refunds

/// The cases of a simulated member. Like `KeyedRefundStore`, but no customer has a preference or a history.
struct SimulatedStore: RefundStore {
    let state: KeyedState<RefundsModel>
    let input: KafkaTopic

    func propose(_ answer: FrozenAnswer, for refund: RefundCase) async throws -> Bool {
        try await state.propose(answer.json, for: refund.identity, in: input).isOwn
    }

    func record(_ contribution: RefundCase) async throws {
        _ = try await state.contribute(
            to: RefundsModel.key(contribution.bundleId, contribution.transactionId), from: input,
            orTo: contribution.identity
        ) { _ in contribution }
    }

    func consentRescindedAt(_ refund: RefundCase) async throws -> AppStoreInstant? { nil }
    func history(of refund: RefundCase) async throws -> CustomerHistory? { nil }
    func preference(of refund: RefundCase) async throws -> RefundPreference? { nil }
}
