internal import AppStoreModel
internal import CommandLine
internal import JSON
internal import Kafka
internal import Records

/// The result of checking or creating each topic of an installation.
struct TopicReport {
    /// The status of a topic. The raw values are a public contract: they are the values of `status` in the JSON output.
    enum Status: String {
        case created, exists, differs, missing, failed
        case wouldBeCreated = "would-be-created"
    }

    struct Line {
        let item: TopicPlan.Item
        let status: Status
        /// The reason that the topic could not be created or is not usable yet.
        let error: String?
        /// Expected settings, with their values, that the cluster rejected when the topic was created.
        var omitted: [String] = []
    }

    let lines: [Line]
    let isEmbedded: Bool

    /// Whether every topic is as expected, or will be after `apply`.
    var isGood: Bool {
        lines.allSatisfy { line in
            line.error == nil && [.created, .exists, .wouldBeCreated].contains(line.status)
        }
    }

    /// - Parameters:
    ///   - missing: the status to report for a topic that did not exist: missing, created, or would be created.
    ///   - creation: the topics that could not be created, with the reasons, and the settings omitted from others.
    ///   - leaderless: the created topics that are not usable yet, with the reasons.
    init(
        _ plan: TopicPlan, missing: Status, creation: TopicCreation.Outcome = TopicCreation.Outcome(),
        leaderless: [KafkaTopic: String] = [:], isEmbedded: Bool = false
    ) {
        self.isEmbedded = isEmbedded
        lines = plan.items.map { item in
            guard item.isMissing else {
                return Line(item: item, status: item.differences.isEmpty ? .exists : .differs, error: nil)
            }
            switch creation.failures[item.topic] {
            // Another client created the topic at the same time.
            case let failure? where failure.code == .topicAlreadyExists:
                return Line(item: item, status: .exists, error: nil)
            case let failure?: return Line(item: item, status: .failed, error: Self.line(failure))
            case nil:
                let expected = plan.newTopics.first { $0.topic == item.topic }?.configuration ?? [:]
                let omitted = (creation.omitted[item.topic] ?? []).map { "\($0)=\(expected[$0] ?? "")" }
                return Line(item: item, status: missing, error: leaderless[item.topic], omitted: omitted)
            }
        }
    }

    private static func line(_ failure: KafkaError) -> String {
        guard failure.code == .invalidReplicationFactor else { return failure.description }
        return "\(failure). Start more brokers, or set profile=single-node or --replication-factor."
    }

    static let partitionCountIsFixed = """
        The partition count of a keyed topic cannot be changed: a change would split a key's records.
        """
    static let embeddedBroker = """
        The embedded broker creates its topics itself at startup and has no topic settings.
        """

    var text: String {
        let rows = lines.map { line in
            [
                line.item.topic.rawValue,
                String(line.item.partitions ?? line.item.specification.partitions),
                line.item.replicationFactor < 0 ? "default" : String(line.item.replicationFactor),
                line.status.rawValue.replacing("-", with: " "),
            ]
        }
        var text = PlainText.table([["TOPIC", "PARTITIONS", "REPLICAS", "STATUS"]] + rows)
        for line in lines where line.error != nil || !line.item.differences.isEmpty {
            text += "\n\(line.item.topic)\n"
            if let error = line.error { text += "  \(PlainText.printable(error))\n" }
            for difference in line.item.differences {
                text +=
                    "  \(difference.subject.rawValue) is \(PlainText.printable(difference.found)), "
                    + "expected \(difference.expected)\n"
            }
            for correction in line.item.corrections { text += "  -> \(correction)\n" }
        }
        for note in notes { text += "\n\(note)\n" }
        return text
    }

    /// The notes printed with the report.
    private var notes: [String] {
        let isKeyedNew = lines.contains { $0.status == .created || $0.status == .wouldBeCreated }
        let unreported = lines.filter { !$0.item.unreported.isEmpty }.map { line in
            "The brokers do not report these settings of \(line.item.topic), expected: "
                + line.item.unreported.joined(separator: ", ") + "."
        }
        let omitted = lines.filter { !$0.omitted.isEmpty }.map { line in
            "The cluster rejected these settings of \(line.item.topic), which was created without them: "
                + "\(line.omitted.joined(separator: ", ")). Ask the cluster's operators whether its defaults are equivalent."
        }
        return (isKeyedNew ? [Self.partitionCountIsFixed] : []) + (isEmbedded ? [Self.embeddedBroker] : [])
            + unreported + omitted
    }

    var json: JSONObject {
        [
            OutputName.ok: .bool(isGood), OutputName.embeddedBroker: .bool(isEmbedded),
            OutputName.topics: .array(lines.map { .object($0.json) }),
            OutputName.notes: .array(notes.map { .string($0) }),
        ]
    }
}

extension TopicReport.Line {
    var json: JSONObject {
        var object: JSONObject = [
            OutputName.topic: .string(item.topic.rawValue), OutputName.status: .string(status.rawValue),
            OutputName.partitions: .integer(Int64(item.partitions ?? item.specification.partitions)),
            OutputName.replicationFactor: .integer(Int64(item.replicationFactor)),
            OutputName.differences: .array(
                item.differences.map { difference in
                    .object([
                        OutputName.setting: .string(difference.subject.rawValue),
                        OutputName.found: .string(difference.found),
                        OutputName.expected: .string(difference.expected),
                    ])
                }),
            OutputName.corrections: .array(item.corrections.map { .string($0) }),
        ]
        if !omitted.isEmpty { object[OutputName.omitted] = .array(omitted.map { .string($0) }) }
        if let error { object[OutputName.error] = .string(error) }
        return object
    }
}
