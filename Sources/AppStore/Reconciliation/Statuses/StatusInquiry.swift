package import AppStoreServerAPI

/// Asks Apple about one subscription after the other, with several attempts each, and says what a failure means for the
/// comparison: `sluice-reconciler` and `sluicectl reconcile statuses` decide alike.
package struct StatusInquiry: Sendable {
    package enum Outcome: Sendable {
        case answer(StatusAnswer)
        /// Apple refuses this very request: asked again, it would refuse again.
        case refused(APIFailure)
        /// Apple gave no answer that can be read. Of one subscription it says nothing of the others; of
        /// ``unansweredInARow`` it does.
        case unanswered(APIFailure)
    }

    /// After so many subscriptions in a row about which there was no answer, it is not because of them.
    package static let unansweredInARow = 5

    private let comparison: StatusComparison
    private let repetition: Repetition

    package init(_ comparison: StatusComparison, _ repetition: Repetition) {
        self.comparison = comparison
        self.repetition = repetition
    }

    /// - Parameter asked: called before each request.
    /// - Throws: ``APIFailure`` that concerns all subscriptions, such as a refused key or a limit that lasts; an error of
    ///   the repetition's `sleep`.
    package func ask(about subscription: PublishedSubscription, asked: () -> Void = {}) async throws -> Outcome {
        var request = RepeatedRequest(repetition)
        while true {
            asked()
            do throws(APIFailure) {
                return .answer(try await comparison.answer(about: subscription))
            } catch {
                do {
                    try await request.wait(after: error)
                } catch let failure as APIFailure where failure.isRefusal && !failure.isRetriable {
                    return .refused(failure)
                } catch let failure as APIFailure where failure.kind == .server || failure.kind == .unreadable {
                    return .unanswered(failure)
                }
            }
        }
    }
}
