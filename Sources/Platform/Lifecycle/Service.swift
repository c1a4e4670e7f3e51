/// A part of an executable that starts, runs and stops: a listener, a consumer, a producer.
public protocol Service: Sendable {
    /// For the log; `http server`, `kafka producer`.
    var name: String { get }

    /// Returns when the service is ready for those that start after it.
    ///
    /// - Throws: a ``StartupError`` with one clear line. A service that throws has released what it had taken; it is
    ///   not stopped.
    func start() async throws

    /// Called after ``start()``, in a task of its own. Most services need none.
    ///
    /// Returning means that the work is done and ends the whole group with exit code 0; throwing ends it with the
    /// error's code. The task is cancelled after ``stop(within:)`` has returned or was abandoned.
    func run() async throws

    /// Ends the service. Called once, after everything that started later has stopped.
    ///
    /// - Parameter limit: what is left of the group's time for this service; it is abandoned afterwards.
    func stop(within limit: Duration) async
}

extension Service {
    /// Waits until the group has stopped the service.
    public func run() async throws {
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }
}
