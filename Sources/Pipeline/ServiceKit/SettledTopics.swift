package import Kafka

/// Queries the brokers about topics until the result is settled.
///
/// Brokers learn about a new topic one after another. For a moment, the topic is unknown to some brokers, its settings
/// are unavailable, or its partitions have no leader.
package struct SettledTopics: Sendable {
    /// The time for which transient errors are retried.
    private let limit: Duration
    /// The time for which the query is repeated while the result is not settled.
    private let timeout: Duration
    private let pause: Duration

    /// - Parameters:
    ///   - limit: the time for which transient errors, such as `LEADER_NOT_AVAILABLE`, are retried.
    ///   - timeout: the time for which the query is repeated while the result is not settled.
    ///   - pause: the interval between two queries.
    package init(limit: Duration, timeout: Duration, pause: Duration = .milliseconds(100)) {
        self.limit = limit
        self.timeout = timeout
        self.pause = pause
    }

    /// Repeats a query until its result is settled.
    ///
    /// - Parameters:
    ///   - describe: performs one query with the given time limit.
    ///   - isSettled: returns whether no better result can be expected.
    /// - Returns: the first settled result, or the last one after `timeout`.
    /// - Throws: a permanent error immediately; a transient error after `limit`.
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
