import Kafka

@testable import PipelineRuntime

/// An assigned input partition, as the runtime sees it.
final class SimulatedPartition: WorkerPartition, @unchecked Sendable {
    // @unchecked Sendable because only the simulation's thread uses it.
    private enum Phase { case active, draining, ended }

    let topicPartition: KafkaTopicPartition
    let startOffset: KafkaOffset
    private unowned let simulation: Simulation
    private var phase = Phase.active
    private var position: Int64
    private var reading: (gate: Gate<[KafkaRecord]?>, limit: Int)?
    private var pauses: [Gate<Bool>] = []
    // Each wait has its own gate, because a cancelled wait must not end the others.
    private var inactive: [Gate<Void>] = []
    private var ended: [Gate<Void>] = []
    /// One past the last record that is done and not committed; nil if there is none.
    private(set) var stored: Int64?
    private(set) var isReleased = false

    init(_ place: KafkaTopicPartition, from offset: Int64, in simulation: Simulation) {
        topicPartition = place
        startOffset = KafkaOffset(rawValue: offset)
        position = offset
        self.simulation = simulation
    }

    var isActive: Bool { phase == .active }
    var hasEnded: Bool { phase == .ended }

    func next(maxRecords: Int, maxBytes: Int, within limit: Duration?) async -> [KafkaRecord]? {
        guard isActive else { return nil }
        let gate = Gate<[KafkaRecord]?>(whenCancelled: nil)
        reading = (gate, maxRecords)
        if let limit {
            simulation.timers.after(Int64(limit / .milliseconds(1))) { [weak self] in
                guard let self, reading?.gate === gate else { return }
                reading = nil
                gate.open([])
            }
        }
        return await gate.wait()
    }

    func pause(for duration: Duration) async -> Bool {
        guard isActive else { return false }
        let gate = Gate(whenCancelled: false)
        pauses.append(gate)
        simulation.timers.after(simulation.number(in: 10...20_000)) { gate.open(true) }
        return await gate.wait()
    }

    func store(nextOffset: KafkaOffset) async {
        guard phase != .ended else { return }
        stored = max(stored ?? 0, nextOffset.rawValue)
    }

    func untilInactive() async {
        guard isActive else { return }
        let gate = Gate(whenCancelled: ())
        inactive.append(gate)
        await gate.wait()
    }

    func untilEnded() async {
        guard phase != .ended else { return }
        let gate = Gate(whenCancelled: ())
        ended.append(gate)
        await gate.wait()
    }

    func release() async {
        isReleased = true
        simulation.group.wasReleased(self)
    }

    // MARK: Steps

    /// Whether the reader waits and there is something to read.
    var canDeliver: Bool {
        guard let reading, !reading.gate.isOpen, isActive, simulation.broker.hasLeader(topicPartition) else {
            return false
        }
        return simulation.broker.end(of: topicPartition) > position
    }

    func deliver() {
        guard let reading else { return }
        self.reading = nil
        let limit = Int(simulation.number(in: 1...Int64(min(reading.limit, 5))))
        let records = simulation.broker.read(topicPartition, from: position, atMost: limit)
        position = records.last.map { $0.offset.rawValue + 1 } ?? position
        reading.gate.open(records)
    }

    func takeStored() -> Int64? { stored.take() }

    // MARK: Rebalance

    func drain() {
        guard isActive else { return }
        phase = .draining
        reading?.gate.open(nil)
        for pause in pauses { pause.open(false) }
        for gate in inactive { gate.open(()) }
    }

    func end() {
        drain()
        phase = .ended
        for gate in ended { gate.open(()) }
    }
}
