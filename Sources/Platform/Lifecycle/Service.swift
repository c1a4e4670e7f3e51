/// A component of an executable that is started, run and stopped: a listener, a consumer, a producer.
public protocol Service: Sendable {
    /// Name for the log: `http server`, `kafka producer`.
    var name: String { get }

    /// Starts the service; returns when it is ready for those that start after it.
    ///
    /// - Throws: a ``StartupError`` with one clear line. A service that throws has released its resources; it is not
    ///   stopped.
    func start() async throws

    /// Runs the service. Called after ``start()`` in a separate task; most services need no implementation.
    ///
    /// Returning means that the work is done and ends the whole group with exit code 0; throwing ends it with the
    /// error's code. The task is cancelled after ``stop(within:)`` has returned or was abandoned.
    func run() async throws

    /// Stops the service. Called once, after everything that started later has stopped.
    ///
    /// - Parameter limit: this service's share of the group's remaining time; the service is abandoned afterwards.
    func stop(within limit: Duration) async
}

extension Service {
    /// Waits until the group has stopped the service.
    public func run() async throws {
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }
}
