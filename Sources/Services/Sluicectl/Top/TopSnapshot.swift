internal import AppStoreModel
internal import Kafka

/// All members and groups at one point in time.
struct TopSnapshot: Sendable {
    /// The wall-clock time, or nil if the clock shows an invalid time.
    let at: AppStoreInstant?
    /// Monotonic time in nanoseconds.
    let monotonic: UInt64
    var members: [TopMember] = []
    var groups: [TopGroup] = []
    /// The error if the brokers did not respond or denied access to a topic, otherwise nil.
    var kafkaFailure: String?

    /// Whether everything was read and every member is ready.
    var isHealthy: Bool { kafkaFailure == nil && members.allSatisfy(\.isReady) }

    /// Sets the groups, or the reason that they, or some of their lags, are unknown.
    mutating func setGroups(_ result: Result<TopGroups, KafkaError>) {
        switch result {
        case .success(let read):
            groups = read.groups
            guard !read.deniedTopics.isEmpty else { return }
            kafkaFailure = "access denied to " + read.deniedTopics.map(\.rawValue).joined(separator: ", ")
        case .failure(let error): kafkaFailure = error.message
        }
    }

    /// Returns a member's rates since an earlier snapshot.
    func rates(of member: TopMember, since earlier: TopSnapshot?) -> TopRates {
        let seconds = earlier.map { Double(monotonic &- $0.monotonic) / 1e9 } ?? 0
        return TopRates(member, since: earlier?.members.first { $0.url == member.url }, seconds: seconds)
    }
}
