import Kafka

/// The coordinator of the consumer group: who owns which input partition, and the committed offsets.
///
/// A partition is revoked before it is assigned to another member: its member has the drain limit to release it, and
/// then loses it without a commit. A member that is dead or frozen loses its partitions after the session timeout.
final class SimulatedGroup {
    private struct Ownership {
        let process: SimulatedProcess
        let partition: SimulatedPartition
        var isRevoked = false
    }

    private unowned let simulation: Simulation
    private let places: [KafkaTopicPartition]
    private var owners: [KafkaTopicPartition: Ownership] = [:]
    private(set) var committed: [KafkaTopicPartition: Int64] = [:]

    private static let drainLimit: Int64 = 10_000
    private static let sessionTimeout: Int64 = 45_000

    init(_ simulation: Simulation, _ places: [KafkaTopicPartition]) {
        self.simulation = simulation
        self.places = places
    }

    func owner(of place: KafkaTopicPartition) -> SimulatedProcess? { owners[place]?.process }

    /// Returns the partitions of a member, in a fixed order.
    func partitions(of process: SimulatedProcess) -> [SimulatedPartition] {
        places.compactMap { owners[$0]?.process === process ? owners[$0]?.partition : nil }
    }

    // MARK: Rebalance

    /// Redistributes the partitions among the living members.
    func rebalance() {
        assignFree()
        for place in places {
            guard let owner = owners[place], !owner.isRevoked, let chosen = aMember, chosen !== owner.process
            else { continue }
            revoke(place)
        }
    }

    /// Assigns the partitions without an owner.
    private func assignFree() {
        for place in places where owners[place] == nil {
            if let chosen = aMember { assign(place, to: chosen) }
        }
    }

    private var aMember: SimulatedProcess? {
        let living = simulation.processes.filter(\.isMember)
        return living.isEmpty ? nil : living[Int(simulation.number(in: 0...Int64(living.count - 1)))]
    }

    private func revoke(_ place: KafkaTopicPartition) {
        guard let partition = owners[place]?.partition else { return }
        simulation.trace("group: revokes \(place)")
        owners[place]?.isRevoked = true
        partition.drain()
        simulation.timers.after(Self.drainLimit) { [weak self] in
            guard let self, owners[place]?.partition === partition else { return }
            simulation.trace("group: \(place) was not released in time")
            lose(place)
        }
    }

    /// Called when the worker of a partition has ended.
    func wasReleased(_ partition: SimulatedPartition) {
        let place = partition.topicPartition
        guard let owner = owners[place], owner.partition === partition, !owner.process.isDead else { return }
        commit(partition)
        owners[place] = nil
        partition.end()
        // A worker that ends by itself stays without the partition until the next rebalance.
        simulation.timers.after(1_000) { [weak self] in self?.assignFree() }
    }

    private func lose(_ place: KafkaTopicPartition) {
        guard let owner = owners.removeValue(forKey: place) else { return }
        simulation.trace("group: \(owner.process.name) lost \(place)")
        owner.partition.end()
        assignFree()
    }

    private func assign(_ place: KafkaTopicPartition, to process: SimulatedProcess) {
        let partition = SimulatedPartition(place, from: committed[place] ?? 0, in: simulation)
        simulation.trace("group: \(process.name) gets \(place) from \(committed[place] ?? 0)")
        owners[place] = Ownership(process: process, partition: partition)
        process.work(on: partition)
    }

    /// Removes a member that no longer sends heartbeats.
    func left(_ process: SimulatedProcess) {
        simulation.timers.after(Self.sessionTimeout) { [weak self] in
            guard let self, process.isDead || process.isFrozen else { return }
            process.isMember = false
            for place in places where owners[place]?.process === process { lose(place) }
        }
    }

    // MARK: Offsets

    /// Commits what a member has stored, as librdkafka does from time to time.
    func commit(_ partition: SimulatedPartition) {
        let place = partition.topicPartition
        guard owners[place]?.partition === partition, simulation.broker.hasLeader(place),
            let next = partition.takeStored()
        else { return }
        simulation.checks.committed(next, of: place, after: committed[place] ?? 0)
        committed[place] = next
        simulation.trace("group: committed \(next) of \(place)")
    }
}
