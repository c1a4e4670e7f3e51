internal import CRdKafka
internal import Dispatch

/// The methods called by partition owners. Each partition has its own queue.
extension KafkaConsumer {
    func next(
        of assigned: KafkaAssignedPartition, maxRecords: Int, maxBytes: Int, within limit: Duration?
    ) async -> [KafkaRecord]? {
        let id = number()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let reader = PartitionState.Reader(id: id, maxRecords: maxRecords, maxBytes: maxBytes) {
                    continuation.resume(returning: $0?.records)
                }
                read(assigned, reader, within: limit)
            }
        } onCancel: {
            enqueue { $0.endReading(of: assigned, id: id, isActive: false) }
        }
    }

    func nextPacked(of assigned: KafkaAssignedPartition, maxRecords: Int, maxBytes: Int) async -> PackedRecords? {
        let id = number()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let reader = PartitionState.Reader(
                    id: id, maxRecords: maxRecords, maxBytes: maxBytes, isPacked: true
                ) { continuation.resume(returning: $0?.packed) }
                read(assigned, reader, within: nil)
            }
        } onCancel: {
            enqueue { $0.endReading(of: assigned, id: id, isActive: false) }
        }
    }

    private func read(_ assigned: KafkaAssignedPartition, _ reader: PartitionState.Reader, within limit: Duration?) {
        guard let state = state(of: assigned), assigned.isActive, state.reader == nil, !Task.isCancelled else {
            return reader.resume(returning: nil)
        }
        let id = reader.id
        state.reader = reader
        serve(state)
        if let limit, state.reader?.id == id {
            state.reader?.timer = timer(limit) { $0.endReading(of: assigned, id: id, isActive: true) }
        }
    }

    /// Ends a wait for records.
    ///
    /// - Parameter isActive: whether reading may continue. If so, the reader receives an empty result instead of nil.
    private func endReading(of assigned: KafkaAssignedPartition, id: UInt64, isActive: Bool) {
        guard let state = state(of: assigned), state.reader?.id == id, let reader = state.reader.take() else { return }
        reader.resume(
            returning: isActive ? ReadBatch(of: assigned.topicPartition, isPacked: reader.isPacked) : nil)
    }

    func pause(_ assigned: KafkaAssignedPartition, for duration: Duration) async -> Bool {
        let id = number()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard let state = state(of: assigned), assigned.isActive, !Task.isCancelled else {
                    return continuation.resume(returning: false)
                }
                state.pauses[id] = PartitionState.Pause(
                    continuation: continuation,
                    timer: timer(duration) { $0.endPause(of: assigned, id: id, isOver: true) })
            }
        } onCancel: {
            enqueue { $0.endPause(of: assigned, id: id, isOver: false) }
        }
    }

    private func endPause(of assigned: KafkaAssignedPartition, id: UInt64, isOver: Bool) {
        state(of: assigned)?.pauses.removeValue(forKey: id)?.resume(returning: isOver)
    }

    func untilInactive(_ assigned: KafkaAssignedPartition) async {
        let id = number()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard let state = state(of: assigned), assigned.isActive, !Task.isCancelled else {
                    return continuation.resume()
                }
                state.drainWaiters[id] = continuation
            }
        } onCancel: {
            enqueue { $0.state(of: assigned)?.drainWaiters.removeValue(forKey: id)?.resume() }
        }
    }

    func untilEnded(_ assigned: KafkaAssignedPartition) async {
        let id = number()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard let state = state(of: assigned), assigned.phase != .ended, !Task.isCancelled else {
                    return continuation.resume()
                }
                state.endWaiters[id] = continuation
            }
        } onCancel: {
            enqueue { $0.state(of: assigned)?.endWaiters.removeValue(forKey: id)?.resume() }
        }
    }

    func store(_ nextOffset: KafkaOffset, of assigned: KafkaAssignedPartition) {
        guard case .group = source, let handle, let state = state(of: assigned), assigned.phase != .ended,
            nextOffset > state.stored ?? .none
        else { return }
        state.stored = nextOffset
        let list = PartitionList()
        list.append(assigned.topicPartition, offset: nextOffset)
        let code = rd_kafka_offsets_store(handle.client.raw, list.pointer)
        // These errors mean that the partition was just revoked or lost. The next owner reads the records again.
        if code == RD_KAFKA_RESP_ERR__STATE || code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION { return }
        if code != RD_KAFKA_RESP_ERR_NO_ERROR { emit(.error(KafkaError(code, during: "storing an offset"))) }
    }

    func release(_ assigned: KafkaAssignedPartition) {
        guard let state = state(of: assigned) else { return }
        state.isReleased = true
        completeDrains()
    }

    /// Returns the state of this assignment, or nil if the consumer no longer has the assignment.
    func state(of assigned: KafkaAssignedPartition) -> PartitionState? {
        partitions[assigned.topicPartition].flatMap { $0.assigned === assigned ? $0 : nil }
    }

    /// Enqueues a cancellation's job, so that it runs after the job that registers the waiter.
    private nonisolated func enqueue(_ body: @escaping @Sendable (isolated KafkaConsumer) -> Void) {
        home.async { self.assumeIsolated { body($0) } }
    }

    // MARK: Records

    /// Passes available records to the partition's waiting reader, if any.
    ///
    /// librdkafka announces a queue only when it becomes non-empty. Remaining entries are not missed, because a reader
    /// polls before it waits.
    func serve(_ state: PartitionState) {
        guard let reader = state.reader else { return }
        var batch = ReadBatch(of: state.assigned.topicPartition, isPacked: reader.isPacked)
        if let first = state.first.take() { take(first, of: state, into: &batch) }
        while batch.count < reader.maxRecords, batch.bytes < reader.maxBytes, !state.isAtEnd, state.held == nil,
            state.failure == nil, let event = EventPointer(pollingFrom: state.queue)
        {
            read(event, of: state, into: &batch)
            event.destroy()
        }
        // If the reader would have accepted more records, the queue is empty.
        let isEmptied = batch.count < reader.maxRecords && batch.bytes < reader.maxBytes
        noteRead(state, bytes: batch.bytes, isEmptied: isEmptied)
        // A partition error may already have resumed the reader.
        guard state.reader?.id == reader.id else { return }
        state.assigned.hasReachedEnd = batch.count == 0 && state.isAtEnd
        if batch.count == 0 {
            if state.failure != nil { return state.endReading() }
            if state.held != nil { return restart(state) }
            guard state.isAtEnd else { return }
            state.isAtEnd = false
        }
        (state.reader.take() ?? reader).resume(returning: batch)
    }

    private func read(_ event: EventPointer, of state: PartitionState, into batch: inout ReadBatch) {
        guard event.type == RD_KAFKA_EVENT_FETCH else {
            guard let client = handle?.client,
                case .error(let error, let place)? = KafkaClientEvent(
                    reading: event, of: client)
            else { return }
            return receive(error, at: place ?? state.place)
        }
        while let message = rd_kafka_event_message_next(event.raw) {
            guard message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
                receive(KafkaError(message.pointee.err, during: "reading"), at: state.place)
                if state.failure != nil { return }
                continue
            }
            guard isInSequence(message.pointee.offset, of: state) else {
                take(KafkaRecord(copying: message, of: state.assigned.topicPartition), of: state, into: &batch)
                continue
            }
            state.expected = KafkaOffset(rawValue: message.pointee.offset + 1)
            if let filter = options.filter, !filter.accepts(message) {
                batch.add(bytes: message.pointee.key_len + message.pointee.len)
            } else {
                batch.append(copying: message)
            }
        }
    }

    /// Returns whether a record has the expected offset, or true if none is known. Offsets are compared only if
    /// `outOfRange` is `resetToBeginning`. Otherwise, the result is always true, because an Apache Kafka log may have
    /// gaps.
    private func isInSequence(_ offset: Int64, of state: PartitionState) -> Bool {
        options.outOfRange != .resetToBeginning || state.expected < 0 || offset == state.expected.rawValue
    }

    private func take(_ record: KafkaRecord, of state: PartitionState, into batch: inout ReadBatch) {
        if !isInSequence(record.offset.rawValue, of: state) {
            emit(.offsetReset(state.assigned.topicPartition, expected: state.expected, found: record.offset))
            if record.offset < state.expected {
                // The log was recreated, so this assignment's offsets are invalid.
                state.expected = record.offset
                state.held = record
                return
            }
        }
        state.expected = KafkaOffset(rawValue: record.offset.rawValue + 1)
        batch.append(record)
    }

    /// Replaces a partition's assignment with a new one after its log was recreated. Pending work is dropped.
    private func restart(_ old: PartitionState) {
        let place = old.assigned.topicPartition
        let state = PartitionState(
            KafkaAssignedPartition(place, epoch: number(), startOffset: old.expected, consumer: self), queue: old.queue)
        state.first = old.held.take()
        partitions[place] = state
        old.end()
        emit(.lost([old.assigned]))
        emit(.assigned([state.assigned]))
        completeDrains()
    }
}

extension PartitionState {
    /// The partition and offset to add to errors that lack them.
    fileprivate var place: KafkaDelivery {
        KafkaDelivery(
            topic: assigned.topicPartition.topic, partition: assigned.topicPartition.partition, offset: expected)
    }
}
