package import Kafka

/// Asks the brokers about topics until their answer holds.
///
/// Brokers learn of a new topic one after the other: for a moment it is unknown to some of them, its settings cannot be
/// told, or its partitions have no leader.
package struct SettledTopics: Sendable {
    /// How long a question is repeated after an error that may pass.
    private let limit: Duration
    /// How long an answer that is not what was waited for is asked again.
    private let timeout: Duration
    private let pause: Duration

    /// - Parameters:
    ///   - limit: how long an error that may pass, such as `LEADER_NOT_AVAILABLE`, is no answer.
    ///   - timeout: how long an answer that is not settled is no answer.
    ///   - pause: between two questions.
    package init(limit: Duration, timeout: Duration, pause: Duration = .milliseconds(100)) {
        self.limit = limit
        self.timeout = timeout
        self.pause = pause
    }

    /// - Parameters:
    ///   - describe: asks once; given how long the brokers may take.
    ///   - isSettled: whether nothing better is to be expected.
    /// - Returns: the first settled answer; after `timeout` whatever the answer is.
    /// - Throws: an error that does not pass, at once; one that may pass, after `limit`.
    package func descriptions(
        _ describe: (_ limit: Duration) async throws(KafkaError) -> [KafkaTopicDescription],
        until isSettled: ([KafkaTopicDescription]) -> Bool
    ) async throws(KafkaError) -> [KafkaTopicDescription] {
        let begun = ContinuousClock.now
        while true {
            do throws(KafkaError) {
                let found = try await describe(max(.milliseconds(1), begun + limit - .now))
                if isSettled(found) || .now + pause >= begun + timeout || Task.isCancelled { return found }
            } catch {
                guard error.isRetriable, .now + pause < begun + limit, !Task.isCancelled else { throw error }
            }
            try? await Task.sleep(for: pause)
        }
    }
}
