/// One thing that must be true before requests or records are taken, or for the process to be left alone.
public struct HealthCheck: Sendable {
    /// A word for the answer: `kafka`.
    public let name: String
    /// Nil when all is well, else what is wrong. Called for each request to `/readyz` or `/livez`; must not wait.
    public let problem: @Sendable () -> String?

    /// Makes a check.
    public init(_ name: String, problem: @escaping @Sendable () -> String?) {
        self.name = name
        self.problem = problem
    }
}
