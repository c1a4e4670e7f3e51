// The copy of a state to another number of partitions.

private let state = "Services/Sluicectl/State/"
private let suites = "StateRekeyTests|RekeyedProposalsTests"
private let isRead = "isMember || KafkaPartition(ofKey: key, partitions: partitions) == record.partition"
private let layout = MutatedFile(.operations, "rekey", state + "RekeyLayout.swift", suites: suites)
private let rows = MutatedFile(.operations, "rekey", state + "StateRows.swift", suites: suites)
private let comparison = MutatedFile(.operations, "rekey", state + "RekeyComparison.swift", suites: suites)
private let copy = MutatedFile(.operations, "rekey", state + "StateCopy.swift", suites: suites)
private let group = MutatedFile(.operations, "rekey", state + "StateGroup.swift", suites: suites)
private let command = MutatedFile(.operations, "rekey", state + "RekeyCommand.swift", suites: suites)

enum RekeyMutants {
    static let all: [Mutant] = [
        layout.mutant(
            "rekeyed-partition", "KafkaPartition(ofKey: key, partitions: targetPartitions)",
            "KafkaPartition(ofKey: key, partitions: sourcePartitions)"),
        layout.mutant(
            "rekeyed-members-only", isRead,
            "true"),
        layout.mutant(
            "rekeyed-of-former-partitions",
            isRead,
            "KafkaPartition(ofKey: key, partitions: partitions) == record.partition"),
        layout.mutant(
            "rekeyed-proposals", "proposal.offset.subtractingReportingOverflow(Self.offsetBound)",
            "proposal.offset.subtractingReportingOverflow(0)"),
        layout.mutant("rekeyed-proposal-bound", "isOverflow ? .min : offset", "0"),
        layout.mutant("rekeyed-timestamp", "record.timestampMilliseconds", "nil"),
        rows.mutant(
            "rekeyed-order", "lasts.sorted { ($0.timestamp, $0.partition) < ($1.timestamp, $1.partition) }", "lasts"),
        rows.without("rekeyed-compares-timestamps", "append(Int64(record.timestampMilliseconds ?? -1), to: &text)"),
        comparison.mutant("rekeyed-use", "!source.versions.contains(last.record)", "false"),
        comparison.mutant("rekeyed-skipped", "target.split.count + target.skipped", "target.split.count"),
        comparison.mutant(
            "rekeyed-missing", "target.last(of: key) != source.last(of: key)", after: "source.rows.keys", "true"),
        copy.mutant("rekeyed-only-missing", "keys.contains(name)", "true"),
        copy.mutant("rekeyed-split-keys", "source.split[name] == nil", "true"),
        group.mutant(
            "rekeyed-unread", "max(0, place.value.high.rawValue - next)", "max(0, next - place.value.high.rawValue)"),
        command.mutant("rekeyed-plan", "configuration[OperationsSettings.yes]", "true"),
        command.mutant("rekeyed-same-prefix", "!target.rawValue.hasPrefix(\"\\(names.prefix).\")", "true"),
        command.mutant("rekeyed-despite", "!configuration[OperationsSettings.despiteUnread]", "true"),
        command.mutant("rekeyed-foreign", "comparison.foreign > 0", "false"),
        command.mutant("rekeyed-itself", "source != target", "true"),
    ]
}
