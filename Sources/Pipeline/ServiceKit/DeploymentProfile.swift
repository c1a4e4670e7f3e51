/// The requirements of an installation for its topics.
public enum DeploymentProfile: String, CaseIterable, Sendable {
    case production
    case singleNode = "single-node"
    /// `production` on a managed service that replicates but does not report how. It is selected by
    /// `durability=managed` and is not a value of `profile`.
    case managed

    public static let allCases: [DeploymentProfile] = [.production, .singleNode]
}

/// The party responsible for the replicas of a record: the values of `durability`.
public enum Durability: String, CaseIterable, Sendable {
    /// The startup check, which compares replicas and their settings with the requirements.
    case checked
    /// The operator of the managed Kafka service.
    case managed
}
