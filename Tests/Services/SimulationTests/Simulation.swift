import Kafka
import KeyedState
import TestSupport

/// One run of three members of a service against simulated surroundings. The seed determines every step.
final class Simulation: @unchecked Sendable {
    // @unchecked Sendable because one thread runs everything.
    static let partitions: Int32 = 2
    private static let members = 3
    /// The greatest number of steps; a run that needs more does not end.
    private static let maximumSteps = 200_000

    let seed: UInt64
    let names = SimulationNames()
    let broker: SimulatedBroker
    var timers = Timers(now: SimulationTime.start)
    private(set) lazy var group = SimulatedGroup(self, names.inputs)
    private(set) lazy var checks = SimulationChecks(self)
    private(set) lazy var faults = SimulationFaults(self)
    private(set) var hosts: [SimulatedHost] = []
    private(set) lazy var workload = makeWorkload(self)
    private let makeWorkload: (Simulation) -> any SimulationWorkload
    private var random: SeededGenerator
    private let tell: ((String) -> Void)?
    private(set) var steps = 0
    /// A digest of all steps.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    /// The services and executors of all processes, which must not outlive the simulation.
    var remnants: [WeakObject] = []
    private var remaining: ArraySlice<SimulatedRecord> = []
    private var lastRecord = SimulationTime.start

    /// - Parameters:
    ///   - directory: an existing directory for the lock files of the databases.
    ///   - tell: receives each line of the trace.
    ///   - makeWorkload: creates the service and its traffic from the seed.
    init(
        seed: UInt64, in directory: String, tell: ((String) -> Void)? = nil,
        _ makeWorkload: @escaping (Simulation) -> any SimulationWorkload
    ) {
        self.seed = seed
        self.tell = tell
        self.makeWorkload = makeWorkload
        random = SeededGenerator(seed: seed)
        broker = SimulatedBroker(names)
        for number in 1...Self.members {
            hosts.append(SimulatedHost(self, name: "m\(number)", path: "\(directory)/\(seed)-\(number)"))
        }
    }

    /// The living processes, in the order of their hosts.
    var processes: [SimulatedProcess] { hosts.compactMap(\.process) }

    /// Runs to the end.
    ///
    /// - Returns: the violated invariants; empty if there are none.
    func run() -> [String] {
        remaining = workload.traffic[...]
        lastRecord = remaining.last?.at ?? SimulationTime.start
        for host in hosts { host.start() }
        group.rebalance()
        faults.begin()
        scheduleNext()
        while steps < Self.maximumSteps, checks.problems.isEmpty, step() { steps += 1 }
        if steps >= Self.maximumSteps { checks.fail("the run does not end") }
        if checks.problems.isEmpty { checks.checkEnd() }
        trace("the end after \(steps) steps")
        for host in hosts { host.end() }
        return checks.problems
    }

    // MARK: Chance

    func number(in range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }
    func chance(_ part: Int64, of whole: Int64) -> Bool { number(in: 1...whole) <= part }

    // MARK: Trace

    func trace(_ line: @autoclosure () -> String) {
        tell?("\((timers.now - SimulationTime.start) / 1_000) s: \(line())")
    }

    private func digest(_ number: Int64) { digest = (digest ^ UInt64(bitPattern: number)) &* 0x100_0000_01B3 }

    // MARK: Steps

    /// Takes one step: one that is possible now, or else the next timer.
    ///
    /// - Returns: false at the end of the run.
    private func step() -> Bool {
        if steps % 400 == 0 { for process in processes { checks.look(at: process) } }
        if chance(1, of: 20) { reportStatistics() }
        digest(timers.now)
        // Now and then time passes although something could happen: everything may be slow. Without a timer, and when
        // everything is over, the members finish their work first.
        let isSlow = chance(1, of: 40) && !timers.isEmpty && !isOver
        guard !isSlow, let next = possibleStep() else {
            if isOver { return false }
            guard let action = timers.advance() else { return false }
            action()
            return true
        }
        if faults.step() { return true }
        workload.step()
        next()
        return true
    }

    /// Lets a member learn the ends of its partitions, as from librdkafka's statistics.
    private func reportStatistics() {
        let members = processes.filter { !$0.isFrozen }
        guard !members.isEmpty else { return }
        let process = members[Int(number(in: 0...Int64(members.count - 1)))]
        checks.lookAtReadiness(of: process)
        process.service?.state.learnEnds()
        checks.lookAtReadiness(of: process)
    }

    /// Returns a step of the first process, from a random one on, that has any; nil if nothing is possible now.
    private func possibleStep() -> (() -> Void)? {
        let first = Int(number(in: 0...Int64(hosts.count - 1)))
        for index in hosts.indices {
            guard let process = hosts[(first + index) % hosts.count].process, !process.isFrozen else { continue }
            let steps = possibleSteps(of: process)
            guard !steps.isEmpty else { continue }
            digest(Int64(steps.count))
            return steps[Int(number(in: 0...Int64(steps.count - 1)))]
        }
        return nil
    }

    private func possibleSteps(of process: SimulatedProcess) -> [() -> Void] {
        var steps: [() -> Void] = []
        if !process.executor.isIdle {
            // Handlers compute most of the time.
            let run = { process.executor.runNext() }
            steps += [run, run, run]
        }
        let producer = process.producer
        for place in producer.appendable { steps.append { producer.appendNext(to: place) } }
        for place in producer.reportable { steps.append { producer.reportNext(of: place) } }
        if let state = process.service?.state {
            for place in state.deliverable { steps.append { state.deliver(place) } }
        }
        for partition in group.partitions(of: process) {
            if partition.canDeliver { steps.append { partition.deliver() } }
            if partition.stored != nil { steps.append { self.group.commit(partition) } }
        }
        return steps
    }

    /// Whether everything has happened: all notifications are written, the faults are over, and the last deadline has
    /// passed.
    private var isOver: Bool {
        guard remaining.isEmpty, !faults.areOn, timers.now > workload.end else { return false }
        return processes.allSatisfy(\.executor.isIdle)
    }

    // MARK: Records

    /// Writes the next notification when its time comes.
    private func scheduleNext() {
        guard let next = remaining.first else { return }
        timers.after(next.at - timers.now) { [unowned self] in
            remaining.removeFirst()
            let partition = KafkaPartition(ofKey: next.key, partitions: Self.partitions)
            let place = KafkaTopicPartition(topic: names.input, partition: partition)
            broker.append(
                KafkaProducerRecord(
                    topic: names.input, partition: partition, key: next.hasKey ? next.key : nil, value: next.value,
                    headers: next.headers), to: place, at: timers.now)
            trace("input: \(String(decoding: next.key, as: UTF8.self)) at \(place)@\(broker.end(of: place) - 1)")
            scheduleNext()
        }
    }

    /// Appends a record of the service to a topic.
    @discardableResult
    func append(_ record: KafkaProducerRecord, to place: KafkaTopicPartition, by owner: String) -> KafkaRecord {
        let appended = broker.append(record, to: place, at: timers.now)
        let key = record.key.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let isPending = record.headers.contains { $0.key == StateHeader.pending }
        trace("\(owner): \(place)@\(appended.offset) \(key)\(isPending ? ", pending" : "")")
        checks.appended(appended)
        return appended
    }

    /// The time until an owner looks for rows that are due or outdated in the topic; a second in production.
    func untilNextTick() -> Int64 { number(in: 1_000...min(600_000, 10 * workload.longestPause)) * calmFactor }

    /// Makes periodic work rare when nothing changes any more.
    var calmFactor: Int64 { faults.areOn || timers.now < lastRecord + 600_000 ? 1 : 3 }

    /// Called when a process ends by itself, or is killed within one of its tasks. It starts again.
    func died(_ process: SimulatedProcess, _ reason: String, with death: SimulatedHost.Death = .process) {
        trace("\(process.name): ends: \(reason)")
        // Not from within one of the tasks of the process.
        timers.after(1) { [unowned self] in
            guard let host = hosts.first(where: { $0.process === process }) else { return }
            host.kill(death)
            timers.after(number(in: 1_000...30_000)) { [unowned self] in
                host.start()
                timers.after(3_000) { [unowned self] in group.rebalance() }
            }
        }
    }
}
