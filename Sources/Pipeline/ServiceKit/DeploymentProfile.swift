/// The demands of an installation on its topics.
public enum DeploymentProfile: String, CaseIterable, Sendable {
    case production
    case singleNode = "single-node"
    /// `production` on a service that replicates and does not report how: `durability=managed`, no value of `profile`.
    case managed

    public static let allCases: [DeploymentProfile] = [.production, .singleNode]
}

/// Who answers for the copies of a record: the values of `durability`.
public enum Durability: String, CaseIterable, Sendable {
    /// The start, which compares replicas and their settings with what is needed.
    case checked
    /// The operator of the service.
    case managed
}
