/// An installation's requirements for its topics.
public enum DeploymentProfile: String, CaseIterable, Sendable {
    case production
    case singleNode = "single-node"
    /// The requirements of `production` for a managed service that replicates data but does not report how. Selected by
    /// `durability=managed`; not a value of `profile`.
    case managed

    public static let allCases: [DeploymentProfile] = [.production, .singleNode]
}

/// The values of `durability`: who is responsible for replicating records.
public enum Durability: String, CaseIterable, Sendable {
    /// The startup check, which compares the replicas and their settings with the requirements.
    case checked
    /// The operator of the managed Kafka service.
    case managed
}
