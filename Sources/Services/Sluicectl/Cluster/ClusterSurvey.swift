internal import AppStoreModel
internal import Configuration
internal import Kafka
internal import Records
internal import ServiceKit

/// The data collected before a switch to another cluster, and the problems that prevent the switch. Problems are
/// derived only from the descriptions of both clusters.
struct ClusterSurvey {
    let names: TopicNames
    let plan: TopicPlan
    let target: ClusterView
    let source: Source
    let groups: [ClusterGroup]
    /// The groups that have committed offsets on the target.
    let withOffsets: Set<KafkaConsumerGroup>
    /// Whether the switch is imminent. If so, running processes on the source and records in flight are problems.
    let isFinal: Bool

    enum Source {
        case notAsked
        case silent(String)
        case answering(ClusterView)
    }

    /// Returns the topics to mirror: all except the reconciliation topics.
    static func copied(_ topics: [KafkaTopic], _ names: TopicNames) -> [KafkaTopic] {
        let others = AppStoreEnvironment.published.map(names.reconciliation)
        return topics.filter { !others.contains($0) }
    }

    var findings: [ClusterFinding] {
        let content = ContentChecks(names: names, target: target)
        return [ClusterFinding(.ok, .brokers, "cluster \(target.id) is reachable")] + topics + content.findings
            + reconciliation + copy + members
    }

    // MARK: topics

    private var topics: [ClusterFinding] {
        let findings = plan.items.compactMap { item -> ClusterFinding? in
            let name = item.topic.rawValue
            if item.isMissing {
                return ClusterFinding(
                    .problem, .topic, of: name, "it does not exist",
                    fix: "Run sluicectl topics apply, and let the mirror fill it")
            }
            guard item.differences.isEmpty else {
                let differences = item.differences.map {
                    "\($0.subject.rawValue) is \($0.found), expected \($0.expected)"
                }
                return ClusterFinding(
                    .problem, .topic, of: name, differences.joined(separator: "; "),
                    fix: item.corrections.joined(separator: "; "))
            }
            return timestamps(item.topic)
        }
        guard findings.isEmpty else { return findings }
        return [ClusterFinding(.ok, .topic, "\(plan.items.count) topics match the settings of sluicectl topics apply")]
    }

    /// Checks that the copied records keep their timestamps from the source.
    private func timestamps(_ topic: KafkaTopic) -> ClusterFinding? {
        let name = KafkaTopicFinding.Subject.timestampType.rawValue
        let settings = target.topics.first { $0.topic == topic }?.configuration
        guard settings?[name] == "LogAppendTime" else { return nil }
        return ClusterFinding(
            .problem, .topic, of: topic.rawValue, "\(name) is LogAppendTime, expected CreateTime",
            fix:
                "kafka-configs.sh --alter --entity-type topics --entity-name \(topic) --add-config \(name)=CreateTime, "
                + "and mirror the topic again")
    }

    // MARK: reconciliation

    /// Findings for reconciliation topics that contain records. A row records that a notification is in the
    /// notification topic. If a row is copied but its notification is not, the reconciler cannot detect that the
    /// notification is missing from the target.
    private var reconciliation: [ClusterFinding] {
        AppStoreEnvironment.published.map(names.reconciliation).filter(target.hasRecords).map { topic in
            ClusterFinding(
                isFinal ? .warning : .problem, .copy, of: topic.rawValue,
                "it already contains records; copied rows would hide missing notifications",
                fix:
                    "Unless sluice-reconciler has already run on this cluster, exclude the topic from the mirror, "
                    + "delete it, and recreate it with: sluicectl topics apply")
        }
    }

    // MARK: state of the copy

    private var copy: [ClusterFinding] {
        switch source {
        case .notAsked:
            [
                ClusterFinding(
                    .warning, .brokers, "the source was not compared with the copies",
                    fix: "Pass --source FILE while the source is reachable")
            ]
        case .silent(let reason):
            [
                ClusterFinding(
                    .problem, .brokers, "the source is unreachable: \(reason)",
                    fix: "If the source is lost, stop all processes that use it, and omit --source")
            ]
        case .answering(let view):
            CopyChecks(source: view, target: target, isFinal: isFinal, compacted: compacted)
                .findings(Self.copied(plan.items.map(\.topic), names))
        }
    }

    private var compacted: Set<KafkaTopic> {
        Set(plan.items.filter { if case .compact = $0.specification.cleanup { true } else { false } }.map(\.topic))
    }

    // MARK: groups

    private var members: [ClusterFinding] {
        let view: ClusterView? = if case .answering(let view) = source { view } else { nil }
        return groups.flatMap { group -> [ClusterFinding] in
            var findings: [ClusterFinding] = []
            func add(_ status: FindingStatus, _ found: String, _ fix: String) {
                findings.append(ClusterFinding(status, .group, of: group.group.rawValue, found, fix: fix))
            }
            if target.activeGroups?.contains(group.group) == true {
                add(
                    .problem, "it has members on this cluster",
                    "Stop every \(group.executable) process that uses this cluster")
            } else if withOffsets.contains(group.group), !isFinal {
                add(.warning, "it has committed offsets on this cluster", "sluicectl cluster switch resets them")
            }
            if view?.activeGroups?.contains(group.group) == true {
                add(
                    isFinal ? .problem : .warning, "the group still has members on the source cluster",
                    "Stop every \(group.executable) there before the switch, because it must not run on both clusters")
            }
            return findings
        }
    }
}
