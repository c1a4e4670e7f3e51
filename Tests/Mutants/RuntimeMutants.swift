// The runtime: offsets, batches, attempts and dead letters.

private let partition = "Pipeline/PipelineRuntime/Partition/"
private let tracker = MutatedFile(
    .consumer, "offset", partition + "OffsetTracker.swift", suites: "OffsetTrackerTests")
private let batches = MutatedFile(
    .consumer, "batch", partition + "PartitionWorker+Batches.swift", suites: "PipelineConsumerTests")
private let attempts = MutatedFile(
    .consumer, "attempts", partition + "RecordAttempts.swift", suites: "RecordDecisionTests")

enum RuntimeMutants {
    static let all: [Mutant] = [
        tracker.mutant(
            "offset-past-unfinished", "entries[head].isFinished", after: "while head < entries.count, ", "true"),
        tracker.mutant(
            "offset-of-the-newest", "head < entries.count ? entries[head].previousNext : newest.map { $0 + 1 }",
            "newest.map { $0 + 1 }"),
        tracker.mutant("offset-of-a-repeated-record", "offset > newest ?? -1", "true"),
        batches.mutant("batch-dead-letters", "await writeDeadLetters(of: finished)", "true"),
        batches.mutant(
            "batch-repeated", "BatchStep(rest: records, mustWait: true)",
            "BatchStep(rest: records.dropFirst(batch.count))"),
        batches.mutant("batch-rest", "records.dropFirst(finished.count)", "records.dropFirst(batch.count)"),
        attempts.mutant("attempts-spent", "spent >= maximum", "false"),
        attempts.mutant("attempts-of-the-sink", "fault == .record", "true"),
    ]
}
