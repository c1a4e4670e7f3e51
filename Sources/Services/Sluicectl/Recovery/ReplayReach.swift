internal import Kafka

/// The consumer groups that read topics.
enum ReplayReach: Sendable {
    /// The names of the groups, sorted.
    case groups([String])
    /// The groups cannot be listed, for the given reason.
    case unknown(String)

    /// Returns the groups with committed offsets in the topics. The brokers do not list groups that this user may not
    /// describe.
    static func groups(of topics: [KafkaTopic], _ admin: KafkaAdmin) async -> ReplayReach {
        do throws(KafkaError) {
            var places: [KafkaTopicPartition] = []
            for topic in topics { places += try await admin.watermarks(of: topic).keys }
            var names: [String] = []
            for group in try await admin.consumerGroups().map(\.group) {
                let committed = try await admin.committedOffsets(of: group, partitions: places)
                if !committed.isEmpty { names.append(group.rawValue) }
            }
            return .groups(names)
        } catch {
            return .unknown(error.message)
        }
    }
}
