internal import CRdKafka
internal import Dispatch
internal import Primitives

/// An assignment change that librdkafka requests.
enum Rebalance: Sendable {
    case assign([KafkaTopicPartition])
    case revoke([KafkaTopicPartition], isLost: Bool)
}

/// A pending wait for partitions to be released.
struct Drain {
    let id: UInt64
    let states: [PartitionState]
    let completion: () -> Void

    var isComplete: Bool { states.allSatisfy { $0.isReleased || $0.assigned.phase == .ended } }
}

/// Rebalances are processed one at a time. Each is answered with an assign or unassign call, no matter how long
/// draining takes; librdkafka sends heartbeats in the meantime.
extension KafkaConsumer {
    func receiveRebalance(_ event: EventPointer) {
        guard let handle else { return }
        let places = rd_kafka_event_topic_partition_list(event.raw).map { list in
            PartitionList.Element.all(in: list).map(\.topicPartition)
        }
        switch rd_kafka_event_error(event.raw) {
        case RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS:
            rebalances.append(.assign(places ?? []))
        case RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS:
            let isLost = rd_kafka_assignment_lost(handle.client.raw) != 0
            rebalances.append(.revoke(places ?? [], isLost: isLost))
        default:
            // librdkafka's documentation requires all partitions to be revoked, because the assignment is unknown after
            // an error.
            rebalances.append(.revoke(Array(partitions.keys), isLost: true))
        }
        nextRebalance()
    }

    private func nextRebalance() {
        guard !isRebalancing, !rebalances.isEmpty else { return }
        isRebalancing = true
        switch rebalances.removeFirst() {
        case .assign(let places): assign(places)
        case .revoke(let places, let isLost): isLost ? lose(places) : revoke(places)
        }
    }

    private func finishRebalance() {
        isRebalancing = false
        // A closing consumer may be fully closed now. The wake-up detects this.
        handle?.wakeUp()
        nextRebalance()
    }

    private var isCooperative: Bool {
        guard let handle, let name = rd_kafka_rebalance_protocol(handle.client.raw) else { return false }
        return String(cString: name) == "COOPERATIVE"
    }

    // MARK: Assignment

    private func assign(_ places: [KafkaTopicPartition]) {
        // While closing, librdkafka treats any assign call as an unassign, but the call must still be made.
        if phase != .running || places.isEmpty {
            answer(assigning: places.map { StartPosition(place: $0, offset: .stored, isCommitted: true) })
            if phase == .running, !firstAssignment.isComplete { emit(.assigned([])) }
            firstAssignment.complete()
            return finishRebalance()
        }
        block({ StartPosition.find(for: places, handle: $0) }) { consumer, result in
            switch result {
            case .success(let positions):
                consumer.begin(positions)
                consumer.firstAssignment.complete()
                consumer.finishRebalance()
            case .failure(let error):
                consumer.emit(.error(error))
                consumer.after(.seconds(1)) { $0.assign(places) }
            }
        }
    }

    private func begin(_ positions: [StartPosition]) {
        guard phase == .running else { return answer(assigning: positions) }
        // Attach the queues before the assign call. Otherwise, librdkafka forwards each partition's queue to the
        // consumer's queue.
        var states: [PartitionState] = []
        var uncommitted: [(KafkaAssignedPartition, KafkaOffset)] = []
        for position in positions {
            guard let state = attach(position) else { continue }
            states.append(state)
            if !position.isCommitted { uncommitted.append((state.assigned, position.offset)) }
        }
        answer(assigning: positions)
        // Immediately store the start offsets of partitions that have no commit. They are then committed, so that
        // monitoring shows the group's lag.
        for (assigned, offset) in uncommitted { store(offset, of: assigned) }
        emit(.assigned(states.map(\.assigned)))
        for state in states { serve(state) }
    }

    /// Creates a partition's state and connects the partition's queue to the handle's wake-up. Returns nil if there is
    /// no client or no queue.
    func attach(_ position: StartPosition) -> PartitionState? {
        guard let handle else { return nil }
        forget(position.place)
        let name = position.place.topic.rawValue
        guard
            let raw = rd_kafka_queue_get_partition(handle.client.raw, name, position.place.partition.rawValue)
        else { return nil }
        let queue = QueuePointer(raw: raw)
        rd_kafka_queue_forward(queue.raw, nil)
        handle.enableWakeUp(of: queue)
        let assigned = KafkaAssignedPartition(
            position.place, epoch: number(), startOffset: position.offset, consumer: self)
        let state = PartitionState(assigned, queue: queue)
        partitions[position.place] = state
        return state
    }

    private func answer(assigning positions: [StartPosition]) {
        guard let handle else { return }
        let list = PartitionList(capacity: positions.count)
        for position in positions { list.append(position.place, offset: position.offset) }
        if isCooperative {
            report(rd_kafka_incremental_assign(handle.client.raw, list.pointer), during: "assigning partitions")
        } else {
            report(rd_kafka_assign(handle.client.raw, list.pointer), during: "assigning partitions")
        }
    }

    /// Assigns these partitions without a group.
    func assign(_ offsets: [KafkaTopicPartition: KafkaOffset], _ handle: KafkaHandle) {
        begin(offsets.map { StartPosition(place: $0, offset: $1, isCommitted: true) })
        firstAssignment.complete()
    }

    // MARK: Revocation

    private func revoke(_ places: [KafkaTopicPartition]) {
        let states = places.compactMap { partitions[$0] }
        drain(states, within: options.drainLimit) { [self] in
            if let handle, rd_kafka_assignment_lost(handle.client.raw) != 0 { return lose(places) }
            commit(states, within: options.commitLimit) { $0.giveUp(places) }
        }
    }

    private func lose(_ places: [KafkaTopicPartition]) {
        let states = places.compactMap { partitions[$0] }
        for state in states { state.end() }
        completeDrains()
        if !states.isEmpty { emit(.lost(states.map(\.assigned))) }
        giveUp(places)
    }

    private func giveUp(_ places: [KafkaTopicPartition]) {
        if let handle {
            let list = PartitionList(places)
            if isCooperative {
                report(
                    rd_kafka_incremental_unassign(handle.client.raw, list.pointer), during: "unassigning partitions")
            } else {
                report(rd_kafka_assign(handle.client.raw, nil), during: "unassigning partitions")
            }
        }
        for place in places { forget(place) }
        finishRebalance()
    }

    /// Ends a partition's assignment and releases the partition's queue.
    func forget(_ place: KafkaTopicPartition) {
        guard let state = partitions.removeValue(forKey: place) else { return }
        state.end()
        handle?.disableWakeUp(of: state.queue)
        rd_kafka_queue_destroy(state.queue.raw)
    }

    // MARK: Draining

    /// Asks the owners of these partitions to finish. Calls `completion` when all are released or the limit expires.
    func drain(_ states: [PartitionState], within limit: Duration, then completion: @escaping () -> Void) {
        let active = states.filter { $0.assigned.isActive }
        for state in active { state.drain() }
        if !active.isEmpty { emit(.revoking(active.map(\.assigned))) }
        let drain = Drain(id: number(), states: states, completion: completion)
        drains.append(drain)
        completeDrains()
        guard drains.contains(where: { $0.id == drain.id }) else { return }
        let id = drain.id
        after(limit) { $0.exceed(drain: id) }
    }

    func completeDrains() {
        while let index = drains.firstIndex(where: \.isComplete) {
            drains.remove(at: index).completion()
        }
    }

    private func exceed(drain id: UInt64) {
        guard let drain = drains.first(where: { $0.id == id }) else { return }
        let late = drain.states.filter { !$0.isReleased && $0.assigned.phase != .ended }
        emit(.drainLimitExceeded(late.map(\.assigned)))
        // The stored offsets of late partitions are still committed, but work that their owners finish later is not.
        for state in late { state.end() }
        completeDrains()
    }

    func report(_ error: OpaquePointer?, during attempt: String) {
        guard let error else { return }
        receive(KafkaError(taking: error, during: attempt), at: nil)
    }

    private func report(_ code: rd_kafka_resp_err_t, during attempt: String) {
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return }
        receive(KafkaError(code, during: attempt), at: nil)
    }
}
