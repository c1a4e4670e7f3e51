package import AppStoreServerAPI

/// Queries Apple about subscriptions one by one, with retries, and classifies failures. `sluice-reconciler` and
/// `sluicectl reconcile statuses` both use it, so they make the same decisions.
package struct StatusInquiry: Sendable {
    package enum Outcome: Sendable {
        case answer(StatusAnswer)
        /// Apple refuses this request permanently.
        case refused(APIError)
        /// Apple returned no readable answer. A single failure implies nothing about other subscriptions, but
        /// ``unansweredInARow`` consecutive failures do.
        case unanswered(APIError)
    }

    /// The number of consecutive unanswered queries after which the failure is assumed to affect all subscriptions.
    package static let unansweredInARow = 5

    private let comparison: StatusComparison
    private let repetition: Repetition

    package init(_ comparison: StatusComparison, _ repetition: Repetition) {
        self.comparison = comparison
        self.repetition = repetition
    }

    /// - Parameter asked: called before each request.
    /// - Throws: an ``APIError`` that affects all subscriptions, such as a rejected key or a persistent rate limit,
    ///   or an error thrown by the repetition's `sleep`.
    package func ask(about subscription: PublishedSubscription, asked: () -> Void = {}) async throws -> Outcome {
        var request = RepeatedRequest(repetition)
        while true {
            asked()
            do throws(APIError) {
                return .answer(try await comparison.answer(about: subscription))
            } catch {
                do {
                    try await request.wait(after: error)
                } catch let failure as APIError where failure.isRefusal && !failure.isRetriable {
                    return .refused(failure)
                } catch let failure as APIError where failure.kind == .server || failure.kind == .unreadable {
                    return .unanswered(failure)
                }
            }
        }
    }
}
