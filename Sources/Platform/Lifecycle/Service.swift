/// A component of an executable that is started, run and stopped: a listener, a consumer, a producer.
public protocol Service: Sendable {
    /// Name for the log: `http server`, `kafka producer`.
    var name: String { get }

    /// Starts the service. Returns when the service is ready for those that start after it.
    ///
    /// - Throws: a ``StartupError`` with one clear line. A service that throws must have released its resources; it is
    ///   not stopped.
    func start() async throws

    /// Runs the service. This is called after ``start()`` in a separate task; most services do not need to implement
    /// it.
    ///
    /// If it returns, the work is done and the whole group ends with exit code 0; if it throws, the group ends with the
    /// error's exit code. The task is cancelled after ``stop(within:)`` has returned or was abandoned.
    func run() async throws

    /// Stops the service. Called once, after all services that started later have stopped.
    ///
    /// - Parameter limit: this service's share of the group's remaining time; after that, the service is abandoned.
    func stop(within limit: Duration) async
}

extension Service {
    /// Waits until the group has stopped the service.
    public func run() async throws {
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }
}
