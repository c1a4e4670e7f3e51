/// A condition for accepting requests or records (`/readyz`), or for keeping the process running (`/livez`).
public struct HealthCheck: Sendable {
    /// A short name for the response, such as `kafka`.
    public let name: String
    /// The runbook for a failure of this check, printed at the end of its line in the response, or nil if there is
    /// none.
    public let runbook: String?
    /// Returns the problem, or nil if the check passes. Called for every request to `/readyz` or `/livez`, and must not
    /// block.
    public let problem: @Sendable () -> String?

    /// Creates a check.
    public init(_ name: String, runbook: String? = nil, problem: @escaping @Sendable () -> String?) {
        self.name = name
        self.runbook = runbook
        self.problem = problem
    }

    /// Creates a check with one of Sluice's own runbooks.
    package init(_ name: String, _ runbook: Runbook, problem: @escaping @Sendable () -> String?) {
        self.init(name, runbook: runbook.rawValue, problem: problem)
    }

    /// The line of a failing check in the response, or nil if the check passes.
    var failure: String? {
        problem().map { "\(name): \($0)\(runbook.map { "; see \($0)" } ?? "")\n" }
    }
}
