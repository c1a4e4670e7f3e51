package import Kafka

/// A cache of one token, shared by all clients of a process. Each client requests a token when it starts and before its
/// token expires.
package actor TokenCache {
    private let fetch: @Sendable () async throws(KafkaTokenError) -> KafkaToken
    private let now: @Sendable () -> Int64
    private var held: (token: KafkaToken, time: Int64)?
    private var running: Task<Result<KafkaToken, KafkaTokenError>, Never>?

    /// - Parameters:
    ///   - now: returns the current time in milliseconds since 1970.
    ///   - fetch: requests a new token.
    package init(
        now: @escaping @Sendable () -> Int64,
        fetch: @escaping @Sendable () async throws(KafkaTokenError) -> KafkaToken
    ) {
        self.now = now
        self.fetch = fetch
    }

    /// Returns the cached token during the first half of its lifetime, and a new token afterwards. Concurrent calls
    /// share one request.
    package func token() async throws(KafkaTokenError) -> KafkaToken {
        let time = now()
        if let held, held.time <= time, time - held.time < (held.token.expiry - held.time) / 2 { return held.token }
        let task =
            running
            ?? Task { [fetch] in
                do throws(KafkaTokenError) { return .success(try await fetch()) } catch { return .failure(error) }
            }
        running = task
        let result = await task.value
        running = nil
        let token = try result.get()
        held = (token, time)
        return token
    }
}
