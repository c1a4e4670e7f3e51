/// Determines this user's permissions without changing anything, by sending requests that brokers refuse only after
/// checking the permissions. Brokers report permissions directly only to users who may describe the cluster.
package struct KafkaRights: Sendable {
    /// Whether the user has a permission.
    package enum Answer: Hashable, Sendable {
        case granted, denied
        /// The request failed for another reason, such as a topic that does not exist.
        case unknown(String)
    }

    let configuration: KafkaConfiguration
    /// The maximum time for each check.
    let limit: Duration

    package init(_ configuration: KafkaConfiguration, within limit: Duration) {
        self.configuration = configuration
        self.limit = limit
    }
}
