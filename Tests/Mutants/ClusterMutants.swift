// A move to another cluster: the checks that prevent it, and the changes that it makes.

private let cluster = "Services/Sluicectl/Cluster/"
private let content = MutatedFile(
    .operations, "copies", cluster + "ContentChecks.swift", suites: "ClusterPrepareTests")
private let copies = MutatedFile(.operations, "copies", cluster + "CopyChecks.swift", suites: "ClusterPrepareTests")
private let survey = MutatedFile(
    .operations, "copies", cluster + "ClusterSurvey.swift", suites: "ClusterPrepareTests|ClusterMembersTests")
private let change = MutatedFile(
    .operations, "switch", cluster + "ClusterCommand+Switch.swift", suites: "ClusterSwitchTests")

enum ClusterMutants {
    static let all: [Mutant] = [
        content.mutant(
            "copied-headers", "$0.records.allSatisfy { $0.header(header) == nil }", "$0.records.isEmpty"),
        content.mutant(
            "copied-partition", "KafkaPartition(ofKey: key, partitions: Int32(clamping: count)) != record.partition",
            "false"),
        content.mutant("copied-states", "!target.hasRecords(state)", "false"),
        content.mutant("copied-certificates", "target.certificates.segment($0)", "[0]"),
        copies.mutant("source-is-the-target", "source.id != target.id", "true"),
        copies.mutant("copied-timestamp", "isLater(last, record)", "false"),
        copies.mutant("copy-is-behind", "isFinal || milliseconds > Self.tolerance", "false"),
        copies.mutant("copy-begins-late", "!isOverflow && gap > Self.tolerance", "false"),
        copies.mutant("copy-was-compacted", "compacted.contains(topic)", "false"),
        copies.mutant("copied-partition-count", "count != copied", "false"),
        survey.mutant("reconciler-is-not-copied", "!others.contains($0)", "true"),
        survey.mutant("reconciler-starts-empty", "isFinal ? .warning : .problem", after: "MARK: reconciliation", ".ok"),
        survey.mutant("timestamps-of-writers", "settings?[name] == \"LogAppendTime\"", "false"),
        survey.mutant("silent-source", ".problem", after: "case .silent(let reason)", ".warning"),
        survey.mutant(
            "members-here", "target.activeGroups?.contains(group.group) == true", "false"),
        survey.mutant("members-on-the-source", "view?.activeGroups?.contains(group.group) == true", "false"),
        change.mutant(
            "problems-end-it", "!withMembers.isEmpty || !configuration[OperationsSettings.despiteProblems]", "false"),
        change.mutant("webhooks-of-the-future", "moment.millisecondsSince1970 > clocks.wallMilliseconds()", "false"),
        change.mutant("plan-changes-nothing", "configuration[OperationsSettings.yes]", "true"),
    ]
}
