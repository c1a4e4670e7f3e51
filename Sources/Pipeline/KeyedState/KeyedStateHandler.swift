package import Kafka
package import PipelineRuntime

/// What a record means to a keyed state.
package enum StateReading<State: Sendable>: Sendable {
    /// Something to merge.
    case state(State)
    /// Nothing to merge; what becomes of the record.
    case verdict(HandlerVerdict)
}

/// A handler that merges what records say into a keyed state.
package struct KeyedStateHandler<Model: StateModel>: BatchHandler {
    private let state: KeyedState<Model>
    private let read: @Sendable (KafkaRecord) -> StateReading<Model.State>
    private let merged: @Sendable (KeyedState<Model>.Merged) -> Void

    /// - Parameters:
    ///   - read: what a record says.
    ///   - merged: told of each batch that was merged, for counting.
    package init(
        _ state: KeyedState<Model>, read: @escaping @Sendable (KafkaRecord) -> StateReading<Model.State>,
        merged: @escaping @Sendable (KeyedState<Model>.Merged) -> Void = { _ in }
    ) {
        self.state = state
        self.read = read
        self.merged = merged
    }

    /// - Throws: a ``StateError``, an infrastructure fault: the batch is handed over again.
    package func handle(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] {
        guard let partition = records.first?.topicPartition else { return [] }
        var verdicts: [HandlerVerdict] = []
        verdicts.reserveCapacity(records.count)
        var states: [Model.State] = []
        for record in records {
            switch read(record) {
            case .state(let state):
                states.append(state)
                verdicts.append(.done)
            case .verdict(let verdict): verdicts.append(verdict)
            }
        }
        if !states.isEmpty { merged(try await state.merge(states, from: partition)) }
        return verdicts
    }

    package func partitionAssigned(_ partition: KafkaTopicPartition) async throws {
        try await state.partitionAssigned(partition)
    }

    package func partitionReleased(_ partition: KafkaTopicPartition) async {
        await state.partitionReleased(partition)
    }
}
