import Kafka

/// An idempotent producer: the records of a partition are appended in order, at most once each, and reported later.
///
/// A report can be lost: then the producer reports a timeout although the log has the record.
final class SimulatedProducer {
    private final class Send {
        let record: KafkaProducerRecord
        let completion: @Sendable (Result<KafkaDelivery, KafkaError>) -> Void
        var isReported = false
        var delivery: KafkaDelivery?

        init(
            _ record: KafkaProducerRecord,
            _ completion: @escaping @Sendable (Result<KafkaDelivery, KafkaError>) -> Void
        ) {
            self.record = record
            self.completion = completion
        }
    }

    private unowned let simulation: Simulation
    private let owner: String
    /// Records that are not appended, oldest first.
    private var queues: [KafkaTopicPartition: [Send]] = [:]
    /// Records that are appended but not reported, oldest first.
    private var unreported: [KafkaTopicPartition: [Send]] = [:]
    /// Whether reports still reach the process.
    private var isConnected = true

    /// Time after which a send that is not reported fails, in milliseconds.
    private static let timeout: Int64 = 30_000

    init(_ simulation: Simulation, owner: String) {
        self.simulation = simulation
        self.owner = owner
    }

    func send(
        _ record: KafkaProducerRecord, to place: KafkaTopicPartition,
        completion: @escaping @Sendable (Result<KafkaDelivery, KafkaError>) -> Void
    ) {
        guard isConnected else { return }
        let send = Send(record, completion)
        queues[place, default: []].append(send)
        simulation.timers.after(Self.timeout) { [weak self] in
            guard let self, !send.isReported, isConnected else { return }
            // librdkafka stops retrying; a request in flight may still reach the log.
            remove(send, from: place, isInFlight: simulation.chance(1, of: 2))
            report(send, .failure(KafkaError(.messageTimedOut, "no acknowledgement", persistence: .maybe)))
        }
    }

    // MARK: Steps

    /// The partitions with a record that the broker can append now.
    var appendable: [KafkaTopicPartition] {
        queues.filter { !$0.value.isEmpty && simulation.broker.hasLeader($0.key) }.keys.sorted(by: Self.precedes)
    }

    /// The partitions with a report that can arrive now.
    var reportable: [KafkaTopicPartition] {
        unreported.filter { !$0.value.isEmpty && simulation.broker.hasLeader($0.key) }.keys.sorted(by: Self.precedes)
    }

    func appendNext(to place: KafkaTopicPartition) {
        guard let send = queues[place]?.first else { return }
        queues[place]?.removeFirst()
        if let error = simulation.broker.refusals.error(of: send.record, to: place) {
            simulation.broker.refusals.note(send.record)
            return refuse(send, error, at: place)
        }
        let appended = simulation.append(send.record, to: place, by: owner)
        if simulation.faults.areOn, simulation.chance(1, of: 60) {
            simulation.append(send.record, to: place, by: owner + " again")
        }
        send.delivery = KafkaDelivery(topic: place.topic, partition: place.partition, offset: appended.offset)
        unreported[place, default: []].append(send)
    }

    /// Reports a refusal. Brokers refuse a request as a whole, so the next records may be refused with it.
    private func refuse(_ send: Send, _ error: KafkaError, at place: KafkaTopicPartition) {
        fail(send, error, at: place)
        while let next = queues[place]?.first, simulation.chance(1, of: 2) {
            queues[place]?.removeFirst()
            // This record may be refused for its own sake, too.
            if simulation.broker.refusals.error(of: next.record, to: place) != nil {
                simulation.broker.refusals.note(next.record)
            }
            fail(next, error, at: place)
        }
    }

    private func fail(_ send: Send, _ error: KafkaError, at place: KafkaTopicPartition) {
        let key = send.record.key.map { String(decoding: $0, as: UTF8.self) } ?? ""
        simulation.trace("\(owner): \(place) refused \(key)")
        report(send, .failure(error))
    }

    func reportNext(of place: KafkaTopicPartition) {
        guard let send = unreported[place]?.first, let delivery = send.delivery else { return }
        unreported[place]?.removeFirst()
        // Without this report, the send times out.
        if simulation.faults.areOn, simulation.chance(1, of: 25) {
            return simulation.trace("\(owner): lost the acknowledgement of \(place)@\(delivery.offset)")
        }
        report(send, .success(delivery))
    }

    // MARK: Faults

    /// Fails all sends after a fatal error. Some of them reach the log nevertheless.
    func fence() {
        let sends = takeAll()
        for send in sends {
            report(send, .failure(KafkaError(.producerReplaced, "fenced", isRetriable: true, persistence: .maybe)))
        }
    }

    /// Ends the process: nothing is reported any more. Some records reach the log nevertheless.
    func disconnect() {
        isConnected = false
        _ = takeAll()
    }

    private func takeAll() -> [Send] {
        var sends: [Send] = []
        for (place, queue) in queues.sorted(by: { Self.precedes($0.key, $1.key) }) {
            // The records in flight are the oldest ones.
            for send in queue where simulation.broker.refusals.error(of: send.record, to: place) == nil {
                guard simulation.chance(1, of: 2), simulation.broker.hasLeader(place) else { break }
                simulation.append(send.record, to: place, by: owner + " late")
            }
            sends += queue
        }
        for (_, queue) in unreported.sorted(by: { Self.precedes($0.key, $1.key) }) { sends += queue }
        queues = [:]
        unreported = [:]
        return sends
    }

    private func remove(_ send: Send, from place: KafkaTopicPartition, isInFlight: Bool) {
        guard let index = queues[place]?.firstIndex(where: { $0 === send }) else {
            unreported[place]?.removeAll { $0 === send }
            return
        }
        queues[place]?.remove(at: index)
        let isRefused = simulation.broker.refusals.error(of: send.record, to: place) != nil
        guard isInFlight, index == 0, !isRefused, simulation.broker.hasLeader(place) else { return }
        simulation.append(send.record, to: place, by: owner + " late")
    }

    private func report(_ send: Send, _ result: Result<KafkaDelivery, KafkaError>) {
        guard !send.isReported, isConnected else { return }
        send.isReported = true
        send.completion(result)
    }

    static func precedes(_ one: KafkaTopicPartition, _ other: KafkaTopicPartition) -> Bool {
        (one.topic.rawValue, one.partition.rawValue) < (other.topic.rawValue, other.partition.rawValue)
    }
}
