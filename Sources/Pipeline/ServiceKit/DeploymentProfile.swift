/// The values of `profile`.
public enum DeploymentProfile: String, CaseIterable, Sendable {
    case production
    case singleNode = "single-node"
}
