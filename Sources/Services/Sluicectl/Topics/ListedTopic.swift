internal import JSON
internal import Kafka
internal import Records

/// A topic as it would be created, determined without a broker.
struct ListedTopic {
    let specification: TopicSpecification
    /// The number of replicas per partition, or -1 for the cluster's default.
    let replicationFactor: Int
    /// The settings, keyed by Kafka's setting names.
    let settings: [String: String]

    private var replicas: Int? { replicationFactor < 0 ? nil : replicationFactor }

    /// The number of replicas per partition, for the text table.
    var replicasText: String { replicas.map { String($0) } ?? "default" }

    /// The name of the KafkaTopic resource. Kubernetes accepts words of lower-case letters, digits and hyphens,
    /// separated by dots, each with a letter or digit at both ends.
    var resourceName: String {
        let words = specification.name.rawValue.lowercased().replacing("_", with: "-").split(separator: ".")
        return words.map { word in word.split(separator: "-").joined(separator: "-") }
            .filter { !$0.isEmpty }.joined(separator: ".")
    }

    /// Formats the topic as a Strimzi KafkaTopic resource, in YAML.
    ///
    /// - Parameter cluster: the name of the Kafka resource.
    func strimzi(cluster: String) -> String {
        // A JSON string is also a YAML string.
        func quoted(_ text: String) -> String { String(decoding: JSONValue.string(text).json, as: UTF8.self) }
        let name = specification.name.rawValue
        var text = """
            apiVersion: kafka.strimzi.io/v1
            kind: KafkaTopic
            metadata:
              name: \(quoted(resourceName))
              labels:
                strimzi.io/cluster: \(quoted(cluster))
            spec:

            """
        if name != resourceName { text += "  topicName: \(quoted(name))\n" }
        text += "  partitions: \(specification.partitions)\n"
        if let replicas { text += "  replicas: \(replicas)\n" }
        text += "  config:\n"
        for (key, value) in settings.sorted(by: { $0.key < $1.key }) { text += "    \(key): \(quoted(value))\n" }
        return text
    }

    var json: JSONObject {
        var values = JSONObject()
        for (key, value) in settings.sorted(by: { $0.key < $1.key }) { values[key] = .string(value) }
        return [
            OutputName.topic: .string(specification.name.rawValue),
            OutputName.partitions: .integer(Int64(specification.partitions)),
            OutputName.keyed: .bool(specification.isKeyed),
            OutputName.replicationFactor: .integer(Int64(replicationFactor)),
            OutputName.settings: .object(values),
        ]
    }
}
