/// A condition for accepting requests or records (`/readyz`), or for keeping the process running (`/livez`).
public struct HealthCheck: Sendable {
    /// A short name for the response, such as `kafka`.
    public let name: String
    /// Returns the problem, or nil if the check passes. Called for every request to `/readyz` or `/livez`, and must not
    /// block.
    public let problem: @Sendable () -> String?

    /// Creates a check.
    public init(_ name: String, problem: @escaping @Sendable () -> String?) {
        self.name = name
        self.problem = problem
    }
}
