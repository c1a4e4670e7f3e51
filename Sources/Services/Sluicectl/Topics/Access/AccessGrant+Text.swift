internal import CommandLine
internal import JSON

/// Formats grants as commands, as Strimzi ACL lists and as tables.
extension AccessGrant {
    private var title: String {
        "\(executables.map(\.rawValue).joined(separator: ", ")): \(principal)"
    }

    /// The grant as a text table.
    var text: String {
        PlainText.printable(title, maximum: 4096) + "\n"
            + PlainText.table(
                rights.map { right in
                    [
                        right.resource.rawValue, PlainText.printable(right.name),
                        right.operations.map(\.rawValue).joined(separator: ", "),
                    ]
                }, indent: "  ")
    }

    /// Formats commands for Kafka's own tool: one for each set of operations on topics, and one for the groups.
    func commands(bootstrapServers: String) -> String {
        struct Kind: Hashable {
            let resource: AccessRight.Resource
            let operations: [AccessRight.Operation]
        }
        var kinds: [Kind] = []
        var names: [Kind: [String]] = [:]
        for right in rights {
            let kind = Kind(resource: right.resource, operations: right.operations)
            if names[kind] == nil { kinds.append(kind) }
            names[kind, default: []].append(right.name)
        }
        var text = "# \(title)\n"
        for kind in kinds {
            var lines = [
                "kafka-acls.sh --bootstrap-server \(ShellWord.quoted(bootstrapServers)) --add "
                    + "--allow-principal \(ShellWord.quoted(principal))",
                kind.operations.map { "--operation \($0.rawValue)" }.joined(separator: " "),
            ]
            lines += (names[kind] ?? []).map { "--\(kind.resource.rawValue) \(ShellWord.quoted($0))" }
            text += lines.joined(separator: " \\\n    ") + "\n"
        }
        return text
    }

    /// The `acls` member of `spec.authorization` (`type: simple`) in a Strimzi KafkaUser, as YAML. The name of the
    /// KafkaUser is its principal.
    var strimzi: String {
        var text = "# \(title)\nacls:\n"
        for right in rights {
            // A JSON string is also a YAML string.
            let name = String(decoding: JSONValue.string(right.name).json, as: UTF8.self)
            text += "  - resource:\n      type: \(right.resource.rawValue)\n      name: \(name)\n"
            text += "      patternType: literal\n    operations:\n"
            for operation in right.operations { text += "      - \(operation.rawValue)\n" }
        }
        return text
    }

    var json: JSONObject {
        [
            OutputName.principal: .string(principal),
            OutputName.executables: .array(executables.map { .string($0.rawValue) }),
            OutputName.rights: .array(
                rights.map { right in
                    .object([
                        OutputName.resource: .string(right.resource.rawValue), OutputName.name: .string(right.name),
                        OutputName.operations: .array(right.operations.map { .string($0.rawValue) }),
                    ])
                }),
        ]
    }
}
