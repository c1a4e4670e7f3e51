// Consumers: memory limits, and the group name of a reader with assigned partitions.

private let prefetch = MutatedFile(
    .consumer, "memory", "Platform/Kafka/Consumer/KafkaPrefetch.swift", suites: "KafkaConfigurationTests")
private let share = MutatedFile(
    .consumer, "memory", "Pipeline/PipelineRuntime/Partition/WindowShare.swift", suites: "PartitionWindowTests")
private let batches = MutatedFile(
    .consumer, "turns", "Pipeline/PipelineRuntime/Partition/BatchTurns.swift", suites: "BatchTurnsTests")
private let window = MutatedFile(
    .consumer, "memory", "Pipeline/PipelineRuntime/Partition/PartitionWindow.swift", suites: "PartitionWindowTests")
private let reader = MutatedFile(
    .consumer, "rights", "Platform/Kafka/Client/KafkaConfiguration.swift", suites: "KafkaConfigurationTests")

enum ConsumerMutants {
    static let all: [Mutant] = [
        prefetch.mutant("prefetch-divided", "max(1, partitions ?? Self.assumedPartitions)", "1"),
        prefetch.mutant("fetch-within-share", "(share / 8)", "share"),
        share.mutant("window-divided", "max(1, partitions.load(ordering: .relaxed))", "1"),
        share.mutant("window-least", "minimumRecords - records", "0"),
        share.mutant("window-weight", "records * recordBytes", "0"),
        batches.mutant("turns-divided", "total / Self.largeBytes", "48"),
        batches.mutant("turn-of-an-empty-read", "records.isEmpty", "false"),
        batches.without("turn-of-a-removed-partition", "end(partition)", after: "func remove"),
        batches.mutant("backlog-of-a-small-window", "min(bytes, Self.smallBytes)", "Self.smallBytes"),
        window.mutant("window-shared", "min(records, shared.records)", "records"),
        reader.mutant(
            "reader-names-its-client", #"properties["client.id"].flatMap { $0.isEmpty ? nil : $0 } ?? "rdkafka""#,
            #""rdkafka""#),
    ]
}
