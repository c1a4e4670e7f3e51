internal import Dispatch
internal import Kafka
internal import Synchronization

/// Joins the batches of several partitions to one call of a handler, so that they wait together: for a transaction, for
/// acknowledgements, for a thread.
///
/// While a call is under way, batches gather for the next one. It begins when the call ends, when half of what a call may
/// have is there, or after ``longestWait``: a call that waits for one partition must not hold up the others.
final class SharedBatches: Sendable {
    typealias Handle = @Sendable ([KafkaRecord]) async throws -> [HandlerVerdict]

    private struct Batch: Sendable {
        let id: UInt64
        let records: [KafkaRecord]
        let bytes: Int
        let answer: CheckedContinuation<Result<[HandlerVerdict], any Error>, Never>
    }

    private struct Call {
        let batches: Set<UInt64>
        let task: Task<Void, Never>
    }

    private struct State {
        var lastId: UInt64 = 0
        /// In the order in which they came.
        var waiting: [Batch] = []
        /// By the id of their first batch.
        var calls: [UInt64: Call] = [:]
        /// A look at the batches that wait is scheduled.
        var isWatched = false
    }

    /// How long a batch waits while another call is under way.
    static let longestWait: DispatchTimeInterval = .milliseconds(20)

    private let maximumRecords: Int
    private let maximumBytes: Int
    private let handler: Handle
    private let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - maximumRecords: of one call; a batch is never divided.
    ///   - maximumBytes: of key, value and headers.
    ///   - schedule: runs something after ``longestWait``.
    ///   - handle: gets records of one topic, those of a partition in a row and ascending by offset.
    init(
        maximumRecords: Int, maximumBytes: Int,
        schedule: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil, handle: @escaping Handle
    ) {
        self.maximumRecords = max(1, maximumRecords)
        self.maximumBytes = max(1, maximumBytes)
        self.handler = handle
        let queue = DispatchQueue(label: "pipeline.batches")
        self.schedule = schedule ?? { look in queue.asyncAfter(deadline: .now() + Self.longestWait) { look() } }
    }

    /// Hands a batch to the handler, perhaps with those of other partitions.
    ///
    /// Where a call of several batches fails, each of them is handed over alone, so that an error is only that of its own
    /// records. Where the task of one is cancelled, the call is, and the others may be handed over again.
    ///
    /// - Returns: the verdicts of these records.
    /// - Throws: what the handler threw; `CancellationError`.
    func handle(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] {
        let bytes = records.reduce(0) { $0 + $1.payloadBytes }
        let id = state.withLock { state in
            state.lastId += 1
            return state.lastId
        }
        let result: Result<[HandlerVerdict], any Error> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    // Cancellation sets the task's flag before it looks for the batch.
                    if Task.isCancelled { return true }
                    state.waiting.append(Batch(id: id, records: records, bytes: bytes, answer: continuation))
                    return false
                }
                if isCancelled {
                    continuation.resume(returning: .failure(CancellationError()))
                } else {
                    begin()
                }
            }
        } onCancel: {
            cancel(id)
        }
        return try result.get()
    }

    /// Batches that wait for a call.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    // MARK: Calls

    /// Begins the next call where it is due.
    private func begin(isOverdue: Bool = false) {
        let mustWatch = state.withLock { state in
            if isOverdue { state.isWatched = false }
            while isOverdue || state.calls.isEmpty || isHalf(state.waiting), !state.waiting.isEmpty { start(&state) }
            let mustWatch = !state.waiting.isEmpty && !state.isWatched
            state.isWatched = state.isWatched || mustWatch
            return mustWatch
        }
        if mustWatch { schedule { [weak self] in self?.begin(isOverdue: true) } }
    }

    private func isHalf(_ waiting: [Batch]) -> Bool {
        let (records, bytes) = waiting.reduce((0, 0)) { ($0.0 + $1.records.count, $0.1 + $1.bytes) }
        return records * 2 >= maximumRecords || bytes * 2 >= maximumBytes
    }

    private func start(_ state: inout State) {
        guard let first = state.waiting.first else { return }
        var (batches, rest): ([Batch], [Batch]) = ([], [])
        var (records, bytes) = (0, 0)
        for batch in state.waiting {
            let fits = records + batch.records.count <= maximumRecords && bytes + batch.bytes <= maximumBytes
            if batch.id == first.id || fits && batch.records.first?.topic == first.records.first?.topic {
                batches.append(batch)
                records += batch.records.count
                bytes += batch.bytes
            } else {
                rest.append(batch)
            }
        }
        state.waiting = rest
        let joined = batches
        // Awaited by the workers of its batches, through their answers.
        let task = Task(executorPreference: HandlerThreads.shared) { [self] in
            await run(joined)
            end(first.id)
        }
        state.calls[first.id] = Call(batches: Set(joined.map(\.id)), task: task)
    }

    private func run(_ batches: [Batch]) async {
        let records = batches.count == 1 ? batches[0].records : batches.flatMap(\.records)
        do {
            let verdicts = try await handler(records)
            guard batches.count > 1 else { return batches[0].answer.resume(returning: .success(verdicts)) }
            guard verdicts.count == records.count else {
                throw WrongNumberOfVerdicts(records: records.count, verdicts: verdicts.count)
            }
            var start = 0
            for batch in batches {
                let end = start + batch.records.count
                batch.answer.resume(returning: .success(Array(verdicts[start..<end])))
                start = end
            }
        } catch {
            guard batches.count > 1, !Task.isCancelled else {
                for batch in batches { batch.answer.resume(returning: .failure(error)) }
                return
            }
            await runEach(batches)
        }
    }

    private func runEach(_ batches: [Batch]) async {
        await withTaskGroup(of: Void.self) { group in
            for batch in batches { group.addTask { await self.run([batch]) } }
        }
    }

    private func end(_ call: UInt64) {
        state.withLock { $0.calls[call] = nil }
        begin()
    }

    private func cancel(_ id: UInt64) {
        let (batch, call) = state.withLock { state -> (Batch?, Task<Void, Never>?) in
            if let index = state.waiting.firstIndex(where: { $0.id == id }) {
                return (state.waiting.remove(at: index), nil)
            }
            return (nil, state.calls.values.first { $0.batches.contains(id) }?.task)
        }
        batch?.answer.resume(returning: .failure(CancellationError()))
        call?.cancel()
    }
}
