/// The values of `profile`.
package enum DeploymentProfile: String, CaseIterable, Sendable {
    case production
    case singleNode = "single-node"
}
