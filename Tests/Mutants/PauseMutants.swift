// Pauses of consumer groups: no handler call begins, and records of the control topic are applied as documented.

private let runtime = "Pipeline/PipelineRuntime/"
private let worker = MutatedFile(
    .consumer, "pause", runtime + "Partition/PartitionWorker.swift", suites: "PauseTests")
private let records = MutatedFile(
    .consumer, "pause", runtime + "Partition/PartitionWorker+Records.swift", suites: "PauseTests")
private let flushing = MutatedFile(
    .consumer, "pause", runtime + "Partition/PartitionWorker+Flushing.swift", suites: "PauseTests")
private let telemetry = MutatedFile(
    .consumer, "pause", runtime + "Group/GroupTelemetry.swift", suites: "PauseTests")
private let record = MutatedFile(
    .consumer, "pause", runtime + "Pausing/ControlRecord.swift", suites: "ControlRecordTests")
private let table = MutatedFile(
    .consumer, "pause", runtime + "Pausing/ControlTable.swift", suites: "ControlTableTests")
private let scheduler = MutatedFile(
    .refund, "pause", "Services/Refunds/RefundScheduler.swift", suites: "DeadlineTests")

enum PauseMutants {
    static let all: [Mutant] = [
        worker.mutant("pause-of-reads", "pause.isPaused", "false"),
        records.mutant("pause-of-permits", "pause.isPaused", "false"),
        flushing.mutant("pause-flushes", "left ?? .zero <= .zero || pause.isPaused", "left ?? .zero <= .zero"),
        telemetry.mutant("pause-is-not-stuck", "!pause.isPaused", "true"),
        record.mutant("control-version", #"root["version"]?.flooredInteger == Self.formatVersion"#, "true"),
        record.mutant("control-reason", "state == .running || !reason.isEmpty", "true"),
        table.mutant("control-bounded", "groups?.contains(group) ?? true", "true"),
        scheduler.mutant("pause-of-answers", "groupPause.isPaused", "false"),
    ]
}
