// The topics and the minimum Kafka permissions that sluicectl prints.

private let rights = "Services/Sluicectl/Topics/Access/"
private let table = MutatedFile(.operations, "rights", rights + "AccessTable.swift", suites: "AccessTableTests")
private let right = MutatedFile(.operations, "rights", rights + "AccessRight.swift", suites: "AccessTableTests")
private let settings = MutatedFile(
    .operations, "rights", rights + "AccessSettings.swift", suites: "AclsCommandTests")
private let command = MutatedFile(.operations, "rights", rights + "AclsCommand.swift", suites: "AclsCommandTests")
private let list = MutatedFile(
    .operations, "topics", "Services/Sluicectl/Topics/TopicsListCommand.swift", suites: "TopicsListTests")
private let listed = MutatedFile(
    .operations, "topics", "Services/Sluicectl/Topics/ListedTopic.swift", suites: "TopicsListTests")
private let size = MutatedFile(
    .operations, "size", "Services/Sluicectl/Size/CapacityPlan.swift", suites: "SizeCommandTests")
private let figures = MutatedFile(
    .operations, "size", "Services/Sluicectl/Size/CapacityFigures.swift", suites: "SizeCommandTests")
private let shell = MutatedFile(.operations, "rights", rights + "ShellWord.swift", suites: "AclsCommandTests")

enum RightsMutants {
    static let all: [Mutant] = [
        table.mutant("rights-of-a-reader", "isReader ? entitlementsReader : entitlements", "entitlements"),
        table.mutant("rights-to-repair", "options.repairsStatuses ? [.read, .write] : [.read]", "[.read, .write]"),
        table.mutant("rights-to-anchor", "options.anchorsInKafka ? Self.owning : Self.looking", "Self.writing"),
        table.mutant(
            "rights-to-rebuild", "receiver.rebuilds ? [names.certificates] : []", "[names.certificates]"),
        table.mutant("rights-on-own-groups", "groups[executable] ?? executable.rawValue", "executable.rawValue"),
        right.mutant("rights-implied", "!(isImplied && $0 == .describe)", "true"),
        right.without(
            "rights-merged", "operations[key, default: []].formUnion(right.operations)",
            instead: "operations[key] = Set(right.operations)"),
        settings.mutant("rights-of-every-user", "parts[1] != \"*\"", "true"),
        settings.mutant("principal-on-one-line", "PlainText.printable(text, maximum: .max) == text", "true"),
        command.mutant("rights-in-one-form", "output == .text || format == .text", "true"),
        command.mutant("role-of-rights", "configuration[StateSettings.role] == .reader", "false"),
        command.mutant(
            "group-of-the-ingress", "configuration.prefixed(ApplicationSettings.kafka.prefix)[\"client.id\"]", "nil"),
        list.mutant("topics-in-one-form", "output == .text || format == .text", "true"),
        list.mutant("topics-with-one-name", "!names.insert(topic.resourceName).inserted", "false"),
        listed.mutant("topics-named-once", "name != resourceName", "true"),
        size.mutant("size-with-headroom", "Double(demand.utilization) / 100", "1"),
        size.mutant("size-by-replicas", "kept * replicas", "kept"),
        figures.mutant("figures-above-zero", "value > 0", "true"),
        shell.mutant("shell-words", "isPlain && !text.isEmpty", "true"),
    ]
}
