public import Kafka
public import PipelineRuntime

/// The result of reading a record for a keyed state.
public enum StateReading<State: Sendable>: Sendable {
    /// A state to merge.
    case state(State)
    /// The verdict on a record that contains no state to merge.
    case verdict(HandlerVerdict)
}

/// A handler that merges records into a keyed state.
public struct KeyedStateHandler<Model: StateModel>: BatchHandler {
    /// The keyed state that records are merged into.
    private enum Target: Sendable {
        case keyed(KeyedState<Model>)
        case local(LocalState<Model>, topics: [KafkaTopic: KafkaTopic])

        func merge(
            _ states: [Model.State], from input: KafkaTopic, at now: Int64
        ) async throws -> KeyedState<Model>.Merged {
            switch self {
            case .keyed(let state): return try await state.merge(states, from: input)
            case .local(let state, let topics):
                guard let topic = topics[input] else { throw StateError(.changelog, "no state topic for \(input)") }
                var merged = KeyedState<Model>.Merged()
                for (index, other) in states.enumerated() {
                    do {
                        merged.changed += try state.merge([other], in: topic, at: now)
                    } catch let fault as StateError {
                        throw fault
                    } catch {
                        merged.faults[index] = error
                    }
                }
                return merged
            }
        }
    }

    /// The reason code for a record whose state cannot be merged. If the error is a `RecordFault`, its reason is used
    /// instead.
    public static var notMerged: String { "not_merged" }

    private let state: Target
    private let read: @Sendable (KafkaRecord) -> StateReading<Model.State>
    private let merged: @Sendable (KeyedState<Model>.Merged) -> Void

    /// - Parameters:
    ///   - read: parses a record.
    ///   - merged: called after each merged batch, for counting.
    public init(
        _ state: KeyedState<Model>, read: @escaping @Sendable (KafkaRecord) -> StateReading<Model.State>,
        merged: @escaping @Sendable (KeyedState<Model>.Merged) -> Void = { _ in }
    ) {
        self.state = .keyed(state)
        self.read = read
        self.merged = merged
    }

    /// Creates a handler for a state without brokers, for tests such as those in PipelineTestKit.
    ///
    /// - Parameters:
    ///   - topics: the state's topic for each input topic.
    ///   - read: parses a record.
    ///   - merged: called after each merged batch.
    public init(
        _ state: LocalState<Model>, topics: [KafkaTopic: KafkaTopic],
        read: @escaping @Sendable (KafkaRecord) -> StateReading<Model.State>,
        merged: @escaping @Sendable (KeyedState<Model>.Merged) -> Void = { _ in }
    ) {
        self.state = .local(state, topics: topics)
        self.read = read
        self.merged = merged
    }

    /// - Throws: a ``StateError``, which is an infrastructure fault: the batch is retried.
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
        let result = try await state.merge(states, from: topic, at: records.last?.timestampMilliseconds ?? 0)
        for (index, error) in result.faults {
            let reason = (error as? any RecordFault)?.reason ?? HandlerReason(code: Self.notMerged, detail: "\(error)")
            verdicts[positions[index]] = .deadLetter(reason)
        }
        merged(result)
        return verdicts
    }

    public func partitionAssigned(_ partition: KafkaTopicPartition) async throws {
        if case .keyed(let state) = state { try await state.partitionAssigned(partition) }
    }

    public func partitionReleased(_ partition: KafkaTopicPartition) async {
        if case .keyed(let state) = state { await state.partitionReleased(partition) }
    }
}
