/// A condition for accepting requests or records (`/readyz`), or for not restarting the process (`/livez`).
public struct HealthCheck: Sendable {
    /// A short name for the response: `kafka`.
    public let name: String
    /// Returns nil if the check passes, otherwise the problem. Called for each request to `/readyz` or `/livez`; must
    /// not block.
    public let problem: @Sendable () -> String?

    /// Creates a check.
    public init(_ name: String, problem: @escaping @Sendable () -> String?) {
        self.name = name
        self.problem = problem
    }
}
