package import AppStoreServerAPI

/// Queries Apple about subscriptions one by one, with retries, and classifies failures for the comparison, so that
/// `sluice-reconciler` and `sluicectl reconcile statuses` decide alike.
package struct StatusInquiry: Sendable {
    package enum Outcome: Sendable {
        case answer(StatusAnswer)
        /// Apple refuses this request permanently: repeated, it would be refused again.
        case refused(APIFailure)
        /// Apple gave no readable answer. For one subscription this implies nothing about others; for
        /// ``unansweredInARow`` it does.
        case unanswered(APIFailure)
    }

    /// Consecutive subscriptions without an answer after which the cause is not the subscriptions themselves.
    package static let unansweredInARow = 5

    private let comparison: StatusComparison
    private let repetition: Repetition

    package init(_ comparison: StatusComparison, _ repetition: Repetition) {
        self.comparison = comparison
        self.repetition = repetition
    }

    /// - Parameter asked: called before each request.
    /// - Throws: ``APIFailure`` that concerns all subscriptions, such as a refused key or a lasting rate limit; an
    ///   error of the repetition's `sleep`.
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
