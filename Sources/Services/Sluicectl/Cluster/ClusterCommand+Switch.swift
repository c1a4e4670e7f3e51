internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Primitives

/// `sluicectl cluster switch`: sets the offset at which each group resumes, and lists the steps to take before the
/// executables are started.
extension ClusterCommand {
    func switchOver(_ console: Console) async throws -> ExitCode {
        try refuseFutureDelivery()
        return try await switchGroups(console)
    }

    /// Refuses a `deliveredUntil` in the future, because the group would skip records that have not been delivered yet.
    private func refuseFutureDelivery() throws(StartupError) {
        let setting = OperationsSettings.deliveredUntil
        guard let moment = configuration[setting], moment.millisecondsSince1970 > clocks.wallMilliseconds() else {
            return
        }
        throw StartupError(
            "\(moment) is in the future: webhooks for earlier records would never be posted", setting: setting.key,
            fix: "Specify a time up to which all webhooks were delivered", exitCode: .configuration)
    }

    private func switchGroups(_ console: Console) async throws -> ExitCode {
        try await withAdmin { admin, brokers, isEmbedded in
            let survey = try await survey(admin, brokers, isEmbedded: isEmbedded, isFinal: true)
            try await refuse(survey, console)
            let plans = try await plans(survey, admin)
            let isDone = configuration[OperationsSettings.yes]
            if isDone {
                for plan in plans {
                    try await plan.offsets?.commit(admin, executable: plan.group.executable)
                }
            }
            await print(plans, survey.findings.filter { $0.status == .warning }, isDone: isDone, console)
            guard isDone else { throw StartupError("nothing was changed", fix: "Run the command again with --yes") }
            return .ok
        }
    }

    /// Stops if there are problems, before anything is changed. Groups with members are always refused, because the
    /// members would overwrite the new offsets. The operator may override all other problems.
    private func refuse(_ survey: ClusterSurvey, _ console: Console) async throws {
        let problems = survey.findings.filter { $0.status == .problem }
        let withMembers = problems.filter { $0.check == .group }
        guard let problem = withMembers.first ?? problems.first,
            !withMembers.isEmpty || !configuration[OperationsSettings.despiteProblems]
        else { return }
        for finding in problems {
            console.complain("problem: \([finding].text.split(whereSeparator: \.isNewline).joined(separator: " "))")
        }
        throw StartupError(
            "nothing was changed: \(problem.check.rawValue) \(problem.subject ?? ""): \(problem.found)",
            fix: problem.fix ?? "sluicectl cluster prepare")
    }

    /// The offsets at which a group resumes.
    struct Plan {
        let group: ClusterGroup
        /// The offsets, or nil if the group has not committed any; in that case, the group starts at the beginning
        /// anyway.
        let offsets: GroupOffsets?
        let isByTime: Bool
    }

    private func plans(_ survey: ClusterSurvey, _ admin: KafkaAdmin) async throws -> [Plan] {
        var plans: [Plan] = []
        for group in survey.groups {
            let moment = group.mayStartByTime ? configuration[OperationsSettings.deliveredUntil] : nil
            guard survey.withOffsets.contains(group.group) || moment != nil else {
                plans.append(Plan(group: group, offsets: nil, isByTime: false))
                continue
            }
            let beginnings = try await GroupOffsets.beginnings(of: group.inputs, for: group.group, admin)
            guard let moment else {
                plans.append(Plan(group: group, offsets: beginnings, isByTime: false))
                continue
            }
            // Start earlier than `moment`, because timestamps come from machines whose clocks differ.
            let since = moment.millisecondsSince1970 - Self.margin
            var targets: [KafkaTopicPartition: KafkaOffset] = [:]
            for topic in group.inputs {
                targets.merge(try await admin.offsets(in: topic, at: since)) { $1 }
            }
            let offsets = GroupOffsets(group: group.group, targets: targets, committed: beginnings.committed)
            plans.append(Plan(group: group, offsets: offsets, isByTime: true))
        }
        return plans
    }

    /// The margin in milliseconds: groups resume this long before the given moment.
    static let margin: Int64 = 600_000

    // MARK: output

    /// The steps that the operator must take, the same for every switch.
    static let needs = [
        "Start each consumer, including sluice-webhooks and sluice-archive, with an empty data.dir: existing files "
            + "belong to the other cluster.",
        "sluice-archive: set a different archive.url, archive.origin and archive.anchor.url, and keep "
            + "archive.key.store. The old archive remains unchanged.",
        "Stop the mirror before the first start, and do not run anything on the other cluster again.",
        "Afterwards, if the other cluster was lost, run sluicectl backfill for notifications that it acknowledged but "
            + "the mirror did not copy.",
    ]

    private func print(
        _ plans: [Plan], _ warnings: [ClusterFinding], isDone: Bool, _ console: Console
    ) async {
        switch configuration[OperationsSettings.output] {
        case .text:
            var text = ""
            for plan in plans { text += self.text(of: plan, isDone: isDone) + "\n" }
            for warning in warnings { text += [warning].text }
            if !warnings.isEmpty { text += "\n" }
            for need in Self.needs { text += need + "\n" }
            await console.write(text)
        case .json:
            var writer = JSONWriter()
            writer.object { object in
                object.set("ok", isDone)
                object.array("groups") { array in
                    for plan in plans { array.object { write(plan, to: &$0) } }
                }
                object.array("findings") { array in for warning in warnings { array.value(.object(warning.json)) } }
                object.array("notes") { array in for need in Self.needs { array.string(need) } }
            }
            await console.write(line: writer.bytes)
        }
    }

    private func text(of plan: Plan, isDone: Bool) -> String {
        guard let offsets = plan.offsets else {
            return "group \(plan.group.group) has no offsets on this cluster and starts at the beginning\n"
        }
        let place = plan.isByTime ? "ten minutes before the given time" : "the beginning"
        return "group \(plan.group.group) \(isDone ? "reads" : "would read") from \(place)\n\n" + offsets.text
    }

    private func write(_ plan: Plan, to object: inout JSONWriter) {
        object.set("executable", plan.group.executable)
        if let offsets = plan.offsets {
            offsets.write(to: &object)
        } else {
            object.set("group", plan.group.group.rawValue)
            object.array("partitions") { _ in }
        }
    }
}
