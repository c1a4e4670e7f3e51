import Kafka
import RefundRules
import TestSupport

@testable import Refunds

/// One run of three members of `sluice-refunds` against simulated surroundings. The seed determines every step.
final class Simulation: @unchecked Sendable {
    // @unchecked Sendable because one thread runs everything.
    static let partitions: Int32 = 2
    private static let members = 3
    /// The greatest number of steps; a run that needs more does not end.
    private static let maximumSteps = 200_000

    let seed: UInt64
    let names = SimulationNames()
    let plan: SimulationPlan
    let broker: SimulatedBroker
    var timers = Timers(now: SimulationPlan.start)
    private(set) lazy var group = SimulatedGroup(self, names.inputs)
    private(set) lazy var apple = SimulatedApple(self)
    private(set) lazy var company = SimulatedCompany(self)
    private(set) lazy var checks = SimulationChecks(self)
    private(set) lazy var faults = SimulationFaults(self)
    private(set) var hosts: [SimulatedHost] = []
    let rules: RefundRules
    private var random: SeededGenerator
    private let tell: ((String) -> Void)?
    private(set) var steps = 0
    /// A digest of all steps.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    private var remaining: ArraySlice<SimulationPlan.Notification> = []
    private var contents: [[UInt8]: SimulationPlan.Content] = [:]

    /// - Parameters:
    ///   - directory: an existing directory for the lock files of the databases.
    ///   - tell: receives each line of the trace.
    init(seed: UInt64, in directory: String, tell: ((String) -> Void)? = nil) throws {
        self.seed = seed
        self.tell = tell
        random = SeededGenerator(seed: seed)
        plan = SimulationPlan(&random)
        broker = SimulatedBroker(names.inputs + names.states + [names.deadLetters])
        rules = try RefundRules(
            json: Array(#"{"default":"decline","consumption":{"customerConsented":true}}"#.utf8), name: "rules")
        for number in 1...Self.members {
            hosts.append(SimulatedHost(self, name: "m\(number)", path: "\(directory)/\(seed)-\(number)"))
        }
        remaining = plan.notifications[...]
        for notification in plan.notifications { contents[notification.value] = notification.content }
    }

    /// The living processes, in the order of their hosts.
    var processes: [SimulatedProcess] { hosts.compactMap(\.process) }

    /// Runs to the end.
    ///
    /// - Returns: the violated invariants; empty if there are none.
    func run() -> [String] {
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
        tell?("\((timers.now - SimulationPlan.start) / 1_000) s: \(line())")
    }

    private func digest(_ number: Int64) { digest = (digest ^ UInt64(bitPattern: number)) &* 0x100_0000_01B3 }

    // MARK: Steps

    /// Takes one step: one that is possible now, or else the next timer.
    ///
    /// - Returns: false at the end of the run.
    private func step() -> Bool {
        if steps % 256 == 0 { for process in processes { checks.look(at: process) } }
        let possible = possibleSteps()
        digest(timers.now)
        digest(Int64(possible.count))
        // Now and then time passes although something could happen: everything may be slow.
        guard !possible.isEmpty, !chance(1, of: 40) else {
            if isOver { return false }
            guard let action = timers.advance() else { return false }
            action()
            return true
        }
        if faults.step() { return true }
        possible[Int(number(in: 0...Int64(possible.count - 1)))]()
        return true
    }

    private func possibleSteps() -> [() -> Void] {
        var steps: [() -> Void] = []
        for host in hosts {
            guard let process = host.process, !process.isFrozen else { continue }
            let executor = process.executor
            if !executor.isIdle { steps.append { executor.runNext() } }
            let producer = process.producer
            for place in producer.appendable { steps.append { producer.appendNext(to: place) } }
            for place in producer.reportable { steps.append { producer.reportNext(of: place) } }
            if let state = process.state {
                for place in state.deliverable { steps.append { state.deliver(place) } }
            }
        }
        for partition in group.partitions {
            if partition.canDeliver { steps.append { partition.deliver() } }
            if partition.stored != nil { steps.append { self.group.commit(partition) } }
        }
        return steps
    }

    /// Whether everything has happened: all notifications are written, the faults are over, and the last deadline has
    /// passed.
    private var isOver: Bool {
        guard remaining.isEmpty, !faults.areOn, timers.now > plan.end else { return false }
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
                    topic: names.input, partition: partition, key: next.key, value: next.value,
                    headers: next.headers), to: place, at: timers.now)
            trace("input: \(next.content) at \(place)@\(broker.end(of: place) - 1)")
            scheduleNext()
        }
    }

    /// Appends a record of the service to a topic.
    @discardableResult
    func append(_ record: KafkaProducerRecord, to place: KafkaTopicPartition, by owner: String) -> KafkaRecord {
        let appended = broker.append(record, to: place, at: timers.now)
        trace("\(owner): \(place)@\(appended.offset) \(record.key.map { String(decoding: $0, as: UTF8.self) } ?? "")")
        checks.appended(appended)
        return appended
    }

    func content(of record: KafkaRecord) -> SimulationPlan.Content? { record.value.flatMap { contents[$0] } }

    /// Returns the state in the last record of a key.
    func last(_ key: [UInt8]) -> RefundCase? {
        let partition = KafkaPartition(ofKey: key, partitions: Self.partitions)
        let records = broker.records(of: KafkaTopicPartition(topic: names.state, partition: partition))
        return records.last { $0.key == key }?.value.flatMap { try? RefundCase(json: $0) }
    }

    /// The time until a scheduler looks for due work without being woken: shortly before a deadline, or up to an hour.
    func untilNextLook() -> Int64 {
        let marks = plan.rounds.map { $0.deadline - 60_000 - timers.now }
        let soon = marks.filter { $0 > 0 }.min() ?? .max
        return min(soon, number(in: 60_000...3_600_000))
    }

    /// Called when a process ends by itself.
    func died(_ process: SimulatedProcess, _ reason: String) {
        trace("\(process.name): ends: \(reason)")
        // Not from within one of the tasks of the process.
        timers.after(1) { [unowned self] in hosts.first { $0.process === process }?.kill(.process) }
    }
}
