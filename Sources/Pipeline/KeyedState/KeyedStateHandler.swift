public import Kafka
public import PipelineRuntime

/// What a record means to a keyed state.
public enum StateReading<State: Sendable>: Sendable {
    /// Something to merge.
    case state(State)
    /// Nothing to merge; what becomes of the record.
    case verdict(HandlerVerdict)
}

/// A handler that merges what records say into a keyed state.
public struct KeyedStateHandler<Model: StateModel>: BatchHandler {
    /// The reason of a record whose state cannot be merged, unless the error is a `RecordFault`.
    public static var notMerged: String { "not_merged" }

    private let state: KeyedState<Model>
    private let read: @Sendable (KafkaRecord) -> StateReading<Model.State>
    private let merged: @Sendable (KeyedState<Model>.Merged) -> Void

    /// - Parameters:
    ///   - read: what a record says.
    ///   - merged: told of each batch that was merged, for counting.
    public init(
        _ state: KeyedState<Model>, read: @escaping @Sendable (KafkaRecord) -> StateReading<Model.State>,
        merged: @escaping @Sendable (KeyedState<Model>.Merged) -> Void = { _ in }
    ) {
        self.state = state
        self.read = read
        self.merged = merged
    }

    /// - Throws: a ``StateError``, an infrastructure fault: the batch is retried.
    public func handle(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] {
        guard let topic = records.first?.topic else { return [] }
        var verdicts: [HandlerVerdict] = []
        verdicts.reserveCapacity(records.count)
        var states: [Model.State] = []
        var positions: [Int] = []
        for record in records {
            switch read(record) {
            case .state(let state):
                states.append(state)
                positions.append(verdicts.count)
                verdicts.append(.done)
            case .verdict(let verdict): verdicts.append(verdict)
            }
        }
        guard !states.isEmpty else { return verdicts }
        let result = try await state.merge(states, from: topic)
        for (index, error) in result.faults {
            let reason = (error as? any RecordFault)?.reason ?? HandlerReason(code: Self.notMerged, detail: "\(error)")
            verdicts[positions[index]] = .deadLetter(reason)
        }
        merged(result)
        return verdicts
    }

    public func partitionAssigned(_ partition: KafkaTopicPartition) async throws {
        try await state.partitionAssigned(partition)
    }

    public func partitionReleased(_ partition: KafkaTopicPartition) async {
        await state.partitionReleased(partition)
    }
}
