import Kafka
import Primitives
import Telemetry

@testable import PipelineRuntime

/// One run of a consumer: its keyed state, its partition workers and its own work, on an executor that the simulation
/// steps.
final class SimulatedProcess: @unchecked Sendable {
    // @unchecked Sendable because only the simulation's thread uses it.
    // Unowned, because the simulation keeps its processes to its end. It must be released afterwards: with the contents
    // of all disks, a run takes some megabytes.
    unowned let simulation: Simulation
    let name: String
    let executor = StepExecutor()
    let producer: SimulatedProducer
    private(set) var isDead = false
    var isFrozen = false
    /// Whether the coordinator knows the process as a member of the group.
    var isMember = true
    /// The time of the last start, milliseconds since 1970, and the ends of the state's partitions then.
    let endsAtStart: [KafkaTopicPartition: Int64]
    private(set) var service: (any SimulatedService)?
    private var telemetry: PipelineTelemetry
    private var tasks: [Task<Void, Never>] = []
    private var workers: [KafkaTopicPartition: Task<Void, Never>] = [:]
    let pause: GroupPause
    private let options: PipelineOptions
    /// Two turns for the partitions with a backlog.
    private let turns = BatchTurns(total: 1 << 20)

    static let logger = Logger(label: "simulation", level: .error, format: .json, sink: DiscardingSink())

    init(_ simulation: Simulation, _ name: String) {
        self.simulation = simulation
        self.name = name
        simulation.remnants.append(WeakObject(object: executor))
        producer = SimulatedProducer(simulation, owner: name)
        let group = KafkaConsumerGroup(rawValue: simulation.names.group)
        pause = GroupPause(group)
        options = {
            var options = PipelineOptions(group: group, topics: [simulation.names.input])
            options.maximumUnfinishedRecords = 8
            // A batch of this size shows a backlog.
            options.maximumBatch = 4
            return options
        }()
        telemetry = PipelineTelemetry(
            topics: [simulation.names.input], logger: Self.logger, registry: MetricsRegistry())
        endsAtStart = Dictionary(
            uniqueKeysWithValues: simulation.names.states.map { ($0, simulation.broker.end(of: $0)) })
    }

    var clocks: Clocks {
        Clocks(
            wallMilliseconds: { [unowned simulation] in simulation.timers.now },
            monotonicNanoseconds: { [unowned simulation] in
                UInt64(clamping: simulation.timers.now - SimulationTime.start) * 1_000_000
            })
    }

    /// Opens the database and begins to work.
    ///
    /// - Parameter path: the path of the database, on a simulated disk.
    func start(path: String) throws {
        let service = try simulation.workload.makeService(for: self, path: path)
        self.service = service
        simulation.remnants.append(WeakObject(object: service))
        try service.start()
    }

    // MARK: Work

    /// Starts a task of this process.
    func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        // When the process is killed, it cancels the task and then runs the task to its end.
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
        guard let service else { return }
        let handler = PipelineHandler.batches(SimulatedHandler(handler: service.handler, state: service.state))
        let worker = PartitionWorker(
            partition: partition, handler: handler, options: options,
            window: PartitionWindow(limits: options.windowLimits(handler)),
            turns: turns, calls: HandlerCalls(),
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
        if let service {
            let stopping = Stopping(service: service)
            // The executor runs the task to its end.
            _ = Task(executorPreference: executor) { await stopping.service.stop() }
        }
        executor.drain()
        service?.state.end()
        executor.drain()
        service?.state.close()
    }

    /// Ends the process after an error that a restart repairs.
    func fail(_ reason: String) { simulation.died(self, reason) }
}

/// The handler of a service with the assignment of its simulated state.
private struct SimulatedHandler: BatchHandler {
    let handler: any BatchHandler
    let state: any SteppedState

    func handle(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] { try await handler.handle(records) }

    func partitionAssigned(_ partition: KafkaTopicPartition) async throws {
        try await state.partitionAssigned(partition)
    }

    func partitionReleased(_ partition: KafkaTopicPartition) async { await state.partitionReleased(partition) }
}

private struct Stopping: @unchecked Sendable {
    // @unchecked Sendable because only the simulation's thread uses it.
    let service: any SimulatedService
}

private struct DiscardingSink: LogSink {
    func write(_ line: [UInt8]) {}
    func flush(within limit: Duration) -> Bool { true }
    var droppedLines: Int { 0 }
}
