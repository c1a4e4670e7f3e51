import AppStoreModel
import AppStoreServerAPI
import Kafka
import KeyedState
import Primitives
import Records
import RefundRules
import Telemetry

@testable import PipelineRuntime
@testable import Refunds

/// One run of `sluice-refunds`: its keyed state, its partition workers and its scheduler, on an executor that the
/// simulation steps.
final class SimulatedProcess: @unchecked Sendable {
    // @unchecked Sendable because only the simulation's thread uses it.
    let simulation: Simulation
    let name: String
    let executor = StepExecutor()
    let producer: SimulatedProducer
    private(set) var isDead = false
    var isFrozen = false
    /// Whether the coordinator knows the process as a member of the group.
    var isMember = true
    /// The time of the last start, milliseconds since 1970, and the ends of the state's partitions then.
    let endsAtStart: [KafkaTopicPartition: Int64]
    private(set) var state: SimulatedState<RefundsModel>?
    private var scheduler: RefundScheduler?
    private var handler: KeyedStateHandler<RefundsModel>?
    private var telemetry: PipelineTelemetry
    private var tasks: [Task<Void, Never>] = []
    private var workers: [KafkaTopicPartition: Task<Void, Never>] = [:]
    private let pause: GroupPause
    private let options: PipelineOptions

    static let logger = Logger(label: "simulation", level: .error, format: .json, sink: DiscardingSink())

    init(_ simulation: Simulation, _ name: String) {
        self.simulation = simulation
        self.name = name
        producer = SimulatedProducer(simulation, owner: name)
        let group = KafkaConsumerGroup(rawValue: "sluice-refunds")
        pause = GroupPause(group)
        options = {
            var options = PipelineOptions(group: group, topics: [simulation.names.input])
            options.maximumUnfinishedRecords = 8
            return options
        }()
        telemetry = PipelineTelemetry(
            topics: [simulation.names.input], logger: Self.logger, registry: MetricsRegistry())
        endsAtStart = Dictionary(
            uniqueKeysWithValues: simulation.names.states.map { ($0, simulation.broker.end(of: $0)) })
    }

    var clocks: Clocks {
        Clocks(
            wallMilliseconds: { [simulation] in simulation.timers.now },
            monotonicNanoseconds: { [simulation] in
                UInt64(clamping: simulation.timers.now - SimulationPlan.start) * 1_000_000
            })
    }

    /// Opens the database and begins to work.
    ///
    /// - Parameter path: the path of the database, on a simulated disk.
    func start(path: String) throws {
        let names = simulation.names
        var model = RefundsModel()
        model.environments = [names.state: .production]
        var stateOptions = StateOptions(path: path, topics: [names.input: names.state])
        let due = makeDueWork()
        stateOptions.revoked = { _ in await due.release(.finished(within: .seconds(5))) }
        let state = try SimulatedState(
            model, stateOptions, counts: [names.state: Simulation.partitions], of: self)
        self.state = state
        let scheduler = makeScheduler(state.state, model, due)
        self.scheduler = scheduler
        handler = RefundsHandler.handler(
            of: state.state, topics: TopicNames(), ignored: [], metrics: makeMetrics(), clocks: clocks
        ) { scheduler.wake() }
        try state.start { scheduler.wake() }
        _ = task { try? await scheduler.run() }
    }

    private func makeMetrics() -> RefundsMetrics {
        RefundsMetrics(MetricsRegistry(), rules: [], now: { [simulation] in simulation.timers.now })
    }

    private func makeDueWork() -> DueWork<RefundSchedule.CaseKey> {
        DueWork(
            on: executor,
            sleep: { [unowned self] in
                guard await sleep(Int64($0.components.seconds) * 1_000) else { throw CancellationError() }
            },
            pause: { [unowned self] in
                guard await sleep(simulation.untilNextLook()) else { throw CancellationError() }
            })
    }

    private func makeScheduler(
        _ state: KeyedState<RefundsModel>, _ model: RefundsModel, _ due: DueWork<RefundSchedule.CaseKey>
    ) -> RefundScheduler {
        let store = SimulatedStore(state: state, input: simulation.names.input)
        let log = RateLimitedLogger(Self.logger, perSecond: 1)
        let metrics = makeMetrics()
        let app = BundleId(SimulationPlan.app)
        let decisions = RefundDecisions(
            rules: simulation.rules, apps: [app], provider: simulation.company, fallback: .withhold,
            fallbackMargin: SimulationPlan.hour, api: SimulatedConnection(process: self), store: store, metrics: metrics, log: log)
        return RefundScheduler(
            state: state, model: model, topics: TopicNames(), apps: [app],
            work: RefundWork(
                mode: .answer, store: store, decisions: decisions, api: SimulatedConnection(process: self),
                clocks: clocks, metrics: metrics, log: log,
                pause: { [unowned self] in guard await sleep(1_000) else { throw CancellationError() } }),
            schedule: RefundSchedule(concurrency: 2, fallbackMargin: SimulationPlan.hour) { attempts in
                min(Int64(1_000) << Int64(min(max(attempts - 1, 0), 12)), 300_000)
            },
            clocks: clocks, metrics: metrics, log: log, groupPause: self.pause, due: due)
    }

    // MARK: Work

    /// Starts a task of this process.
    func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        // The process cancels the task when it is killed, and then runs it to its end.
        let task = Task(executorPreference: executor) { await body() }
        tasks.append(task)
        return task
    }

    /// Waits in simulated time.
    ///
    /// - Returns: false if the task is cancelled first or the process is dead.
    func sleep(_ milliseconds: Int64) async -> Bool {
        guard !isDead else { return false }
        let gate = Gate(whenCancelled: false)
        simulation.timers.after(milliseconds) { gate.open(true) }
        return await gate.wait()
    }

    /// Handles an assigned partition, after the work of its previous assignment has ended.
    func work(on partition: SimulatedPartition) {
        guard let handler, let state else { return }
        let worker = PartitionWorker(
            partition: partition, handler: .batches(SimulatedHandler(handler: handler, state: state)),
            options: options,
            window: PartitionWindow(limits: options.windowLimits(.batches(handler))),
            share: BatchShare(total: options.maximumBatchBytes), calls: HandlerCalls(),
            sendDeadLetter: { [unowned self] in try await sendDeadLetter($0) }, telemetry: telemetry,
            handled: HandledOffsets(), pause: pause, tracing: nil)
        let previous = workers[partition.topicPartition]
        workers[partition.topicPartition] = task {
            await previous?.value
            await worker.run()
        }
    }

    private func sendDeadLetter(_ record: KafkaProducerRecord) async throws {
        let gate = Gate<Result<KafkaDelivery, KafkaError>>(
            whenCancelled: .failure(KafkaError(.closed, "cancelled")))
        producer.send(record, to: simulation.names.deadLetters) { gate.open($0) }
        _ = try await gate.wait().get()
    }

    // MARK: End

    /// Kills the process: nothing that it does has an effect any more. Its tasks are cancelled and run to their ends,
    /// because a task cannot be abandoned.
    func kill() {
        isDead = true
        isMember = false
        producer.disconnect()
        for task in tasks { task.cancel() }
        if let scheduler {
            let task = Task(executorPreference: executor) { await scheduler.stop(within: .zero) }
            executor.drain()
            task.cancel()
        }
        executor.drain()
        state?.end()
        executor.drain()
        state?.close()
    }

    /// Ends the process after an error that a restart repairs.
    func fail(_ reason: String) { simulation.died(self, reason) }
}

/// The handler of `sluice-refunds` with the assignment of a simulated state.
private struct SimulatedHandler: BatchHandler {
    let handler: KeyedStateHandler<RefundsModel>
    let state: SimulatedState<RefundsModel>

    func handle(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] { try await handler.handle(records) }

    func partitionAssigned(_ partition: KafkaTopicPartition) async throws {
        try await state.partitionAssigned(partition)
    }

    func partitionReleased(_ partition: KafkaTopicPartition) async { await state.partitionReleased(partition) }
}

private struct DiscardingSink: LogSink {
    func write(_ line: [UInt8]) {}
    func flush(within limit: Duration) -> Bool { true }
    var droppedLines: Int { 0 }
}
