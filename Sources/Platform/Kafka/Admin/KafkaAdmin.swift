internal import CRdKafka
internal import Dispatch
internal import Primitives
internal import Synchronization

/// A client that describes and creates topics, deletes records, and reads and sets the committed offsets of groups.
///
/// Calls that wait for a broker have a time limit. They run one at a time on the client's queue, except for requests to
/// several leaders, which run concurrently. Operations that the
/// embedded broker does not support fail immediately with `notOnEmbeddedBroker`.
public final class KafkaAdmin: Sendable {
    private struct State {
        /// `nil` after `close`.
        var handle: KafkaHandle?
        var clusterId: String?
    }

    private let state: Mutex<State>
    private let configuration: KafkaConfiguration
    /// The queue for blocking calls to the brokers.
    private let queue = DispatchQueue(label: "kafka.admin")

    /// Creates a client that connects in the background. `onEvent` runs on the client's queue and must not block.
    ///
    /// - Throws: `invalidConfiguration` for invalid settings that librdkafka detects only when it creates a client.
    public init(
        _ configuration: KafkaConfiguration, onEvent: @escaping @Sendable (KafkaClientEvent) -> Void = { _ in }
    ) throws(KafkaError) {
        let handle = try KafkaHandle(
            .producer, settings: configuration.settings(for: .admin), tokens: configuration.tokenSource,
            home: DispatchQueue(label: "kafka.admin.events"))
        handle.start(KafkaHandle.Handlers(clientEvent: onEvent))
        state = Mutex(State(handle: handle))
        self.configuration = configuration
    }

    /// Runs `body` and then closes the client, even if `body` throws. Closing takes at most a second.
    public func closing<Result, Failure: Error>(
        after body: (KafkaAdmin) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        do throws(Failure) {
            let result = try await body(self)
            await close(within: .seconds(1))
            return result
        } catch {
            await close(within: .seconds(1))
            throw error
        }
    }

    /// Rejects further calls, waits at most `limit` for the current call, and destroys the client.
    public func close(within limit: Duration) async {
        let released = state.withLock { state in
            defer { state.handle = nil }
            return state.handle?.released
        }
        _ = await released?.wait(within: limit)
    }

    /// Returns the cluster's id.
    ///
    /// - Throws: the client's most specific error (see ``KafkaTrouble``), or `timedOut`, if no broker answers within
    ///   `limit`.
    public func clusterId(within limit: Duration = .seconds(10)) async throws(KafkaError) -> String {
        if let known = state.withLock({ $0.clusterId }) { return known }
        let id = try await run { handle throws(KafkaError) in
            guard let text = rd_kafka_clusterid(handle.client.raw, Int32(clamping: limit.clampedMilliseconds)) else {
                throw KafkaError(.timedOut, "no broker answered within \(limit)")
            }
            defer { rd_kafka_mem_free(handle.client.raw, text) }
            return String(cString: text)
        }
        state.withLock { $0.clusterId = id }
        return id
    }

    /// Whether the brokers belong to a `DevBroker`.
    ///
    /// - Throws: `timedOut` if no broker answers within `limit`.
    public func isEmbeddedBroker(within limit: Duration = .seconds(10)) async throws(KafkaError) -> Bool {
        try await clusterId(within: limit).hasPrefix("mockCluster")
    }

    /// Throws if the broker is embedded, because its answer to `attempt` would be late or missing.
    func requireKafka(_ attempt: String, within limit: Duration) async throws(KafkaError) {
        if try await isEmbeddedBroker(within: limit) {
            throw KafkaError(.notOnEmbeddedBroker, "\(attempt): the embedded broker does not support this")
        }
    }

    /// Runs a blocking call on the client's queue or the given one.
    func run<Value: Sendable>(
        on other: DispatchQueue? = nil, _ body: @escaping @Sendable (KafkaHandle) throws(KafkaError) -> Value
    ) async throws(KafkaError) -> Value {
        let result: Result<Value, KafkaError> = await withCheckedContinuation { continuation in
            (other ?? queue).async { [self] in continuation.resume(returning: attempt(body)) }
        }
        return try result.get()
    }

    /// Runs a request about a group on a client that is configured with the group's id but never joins the group.
    ///
    /// In a client without a group, librdkafka crashes when a broker answers that it is not the group's coordinator
    /// (librdkafka issue 5040). This happens in a new cluster or when a coordinator moves.
    func run<Value: Sendable>(
        asking group: KafkaConsumerGroup, within limit: Duration,
        _ body: @escaping @Sendable (_ handle: KafkaHandle, _ left: Duration) throws(KafkaError) -> Value
    ) async throws(KafkaError) -> Value {
        let settings = configuration.settings(for: .admin, overrides: [ClientProperty("group.id", group.rawValue)])
        let handle = try KafkaHandle(
            .consumer, settings: settings, tokens: configuration.tokenSource,
            home: DispatchQueue(label: "kafka.admin.group.events"))
        handle.start(KafkaHandle.Handlers(clientEvent: { _ in }))
        return try await retrying(within: limit) { left throws(KafkaError) in
            try await run { _ throws(KafkaError) in
                do throws(KafkaError) { return try body(handle, left) } catch { throw handle.explained(error) }
            }
        }
    }

    /// Retries `body` after transient errors within the limit, for example while a broker is becoming leader or
    /// coordinator.
    func retrying<Value: Sendable>(
        within limit: Duration, _ body: (_ left: Duration) async throws(KafkaError) -> Value
    ) async throws(KafkaError) -> Value {
        let end = ContinuousClock.now + limit
        while true {
            do {
                return try await body(max(.milliseconds(1), end - ContinuousClock.now))
            } catch {
                let pause = Duration.milliseconds(100)
                guard error.code.isTransient, ContinuousClock.now + pause < end, !Task.isCancelled else { throw error }
                try? await Task.sleep(for: pause)
            }
        }
    }

    private func attempt<Value>(_ body: (KafkaHandle) throws(KafkaError) -> Value) -> Result<Value, KafkaError> {
        guard let handle = state.withLock({ $0.handle }) else {
            return .failure(KafkaError(.closed, "the admin client is closed"))
        }
        do throws(KafkaError) { return .success(try body(handle)) } catch { return .failure(handle.explained(error)) }
    }
}

/// A request through librdkafka's admin interface. Running it blocks until the result arrives.
struct AdminRequest {
    /// The operation, for error messages.
    let attempt: String
    let operation: rd_kafka_admin_op_t
    let limit: Duration

    /// Sends the request, passes the result to `read`, and then frees the result.
    ///
    /// - Throws: an error that affects the whole request; `timedOut` if no result arrived.
    func run<Value>(
        on handle: KafkaHandle, submit: (_ options: OpaquePointer, _ queue: OpaquePointer) -> Void,
        read: (OpaquePointer) throws(KafkaError) -> Value
    ) throws(KafkaError) -> Value {
        let options = rd_kafka_AdminOptions_new(handle.client.raw, operation)
        let queue = rd_kafka_queue_new(handle.client.raw)
        guard let options, let queue else {
            throw KafkaError(.invalidArgument, "\(attempt): failed to create the request")
        }
        defer {
            rd_kafka_AdminOptions_destroy(options)
            rd_kafka_queue_destroy(queue)
        }
        var text = [CChar](repeating: 0, count: 256)
        let code = rd_kafka_AdminOptions_set_request_timeout(
            options, Int32(clamping: limit.clampedMilliseconds), &text, text.count)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw KafkaError(.invalidArgument, "\(attempt): \(String(terminated: text))")
        }
        submit(options, queue)
        // librdkafka ends the request at its limit; the extra second gives the result time to arrive.
        let wait = Int32(clamping: (limit + .seconds(1)).clampedMilliseconds)
        guard let event = EventPointer(pollingFrom: QueuePointer(raw: queue), timeoutMilliseconds: wait) else {
            throw KafkaError(.timedOut, "\(attempt): no response within \(limit)")
        }
        defer { event.destroy() }
        let error = rd_kafka_event_error(event.raw)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
            let reason = rd_kafka_event_error_string(event.raw).map { String(cString: $0) } ?? ""
            throw KafkaError(KafkaError.Code(rawValue: error.rawValue), "\(attempt): \(reason)")
        }
        return try read(event.raw)
    }
}
