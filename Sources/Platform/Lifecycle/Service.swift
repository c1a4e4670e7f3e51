/// A component with its own lifecycle, such as a listener, a consumer or a producer.
public protocol Service: Sendable {
    /// The name in log lines, such as `http server` or `kafka producer`.
    var name: String { get }

    /// Starts the service. Returns when the services that start later can use this one.
    ///
    /// - Throws: a ``StartupError`` with one clear line. The service must first release its resources, because it will
    ///   not be stopped.
    func start() async throws

    /// Runs the service. Called in a separate task after ``start()``. Most services use the default implementation.
    ///
    /// If this function returns, the work is complete, and the whole group ends with exit code 0. If it throws, the
    /// group ends with the error's exit code. The task is cancelled after ``stop(within:)`` has returned or timed out.
    func run() async throws

    /// Stops the service. Called once, after all services that started later have stopped.
    ///
    /// - Parameter limit: this service's share of the remaining time. When it has passed, the group proceeds without
    ///   waiting for the service.
    func stop(within limit: Duration) async
}

extension Service {
    /// Waits until the group has stopped the service.
    public func run() async throws { try await rest() }

    /// Waits until the group has stopped the service. A ``run()`` that has finished its work calls this function
    /// instead of returning, which would end the process.
    package func rest() async throws {
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }
}
