// Topics of a managed service with its own replication.

private let demands = MutatedFile(
    .operations, "durability", "Services/Sluicectl/Topics/TopicDemands.swift", suites: "TopicPlanTests")

enum DurabilityMutants {
    static let all: [Mutant] = [
        demands.mutant("managed-replicas-not-demanded", "isEmbedded || replicas < 1", "isEmbedded"),
        demands.without(
            "managed-topics-without-in-sync", "if profile == .managed { return specification.settings }"),
    ]
}
