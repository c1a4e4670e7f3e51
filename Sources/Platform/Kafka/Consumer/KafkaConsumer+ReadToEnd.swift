import CRdKafka

extension KafkaConsumer {
    /// The assigned partitions. Without a group, `start` assigns all partitions in the source.
    public var assignedPartitions: [KafkaAssignedPartition] { partitions.values.map(\.assigned) }

    /// Reads partitions one after another, without a group, from these offsets to each partition's end at the time of
    /// the call.
    ///
    /// - Parameters:
    ///   - offsets: the start offsets; `.beginning` is supported.
    ///   - count: the maximum number of records per partition.
    ///   - limit: the maximum duration.
    ///   - options: the consumer's options, such as its prefetch limits.
    ///   - body: receives one partition's records in batches, in offset order.
    /// - Throws: `timedOut` after the limit, `offsetOutOfRange`, a fatal error, a broker's error for the watermarks,
    ///   and any error thrown by `body`.
    public static func readToEnd(
        _ configuration: KafkaConfiguration, from offsets: [KafkaTopicPartition: KafkaOffset],
        atMost count: Int = .max, within limit: Duration, options: Options = Options(),
        body: ([KafkaRecord]) async throws -> Void
    ) async throws {
        let consumer = KafkaConsumer(configuration, source: .partitions(offsets), options: options) { _ in }
        try await consumer.start()
        await consumer.after(limit) {
            $0.stopReading(because: KafkaError(.timedOut, "the end of the partition was not reached in time"))
        }
        do {
            let ends = await consumer.ends(within: limit)
            for partition in await consumer.assignedPartitions {
                guard let ends = try ends[partition.topicPartition]?.get() else {
                    throw KafkaError(.closed, "stopped reading \(partition.topicPartition)")
                }
                try await consumer.readToEnd(partition, ends, atMost: count, body)
            }
        } catch {
            await consumer.close(within: .seconds(5))
            throw error
        }
        await consumer.close(within: .seconds(5))
    }

    /// Queries the watermarks of all partitions together, because separate queries would each wait behind a fetch.
    private func ends(within limit: Duration) async -> KafkaAdmin.Ends {
        let places = Array(partitions.keys)
        return await withCheckedContinuation { continuation in
            guard handle != nil else { return continuation.resume(returning: [:]) }
            block({ KafkaWatermarks.query(places, within: limit, handle: $0) }) { continuation.resume(returning: $1) }
        }
    }

    private nonisolated func readToEnd(
        _ partition: KafkaAssignedPartition, _ ends: KafkaWatermarks, atMost count: Int,
        _ body: ([KafkaRecord]) async throws -> Void
    ) async throws {
        var remaining = count
        var next = partition.startOffset
        if next < 0 { next = partition.startOffset == .end ? ends.high : ends.low }
        while next < ends.high, remaining > 0 {
            guard let records = await partition.next(maxRecords: min(1000, remaining), maxBytes: 4 << 20) else {
                try Task.checkCancellation()
                throw await failure(of: partition) ?? KafkaError(.closed, "stopped reading \(partition.topicPartition)")
            }
            // At the end of the partition, the remaining offsets up to the watermark contain no records, only
            // transaction markers.
            if partition.hasReachedEnd { return }
            let wanted = records.prefix { $0.offset < ends.high }
            if !wanted.isEmpty { try await body(Array(wanted)) }
            next = partition.position
            remaining -= records.count
        }
    }

    /// Returns the error that stopped reading a partition, or nil if there was none.
    func failure(of partition: KafkaAssignedPartition) -> KafkaError? {
        state(of: partition)?.failure
    }

    func stopReading(because error: KafkaError) {
        for state in partitions.values {
            state.failure = state.failure ?? error
            state.drain()
        }
    }
}

// MARK: Partitions without a group

extension KafkaConsumer {
    /// Starts reading additional partitions on a consumer without a group.
    ///
    /// - Returns: the newly added partitions.
    /// - Throws: `closed` if the consumer is not running or belongs to a group; librdkafka's error for the assignment.
    public func read(
        _ offsets: [KafkaTopicPartition: KafkaOffset]
    ) throws(KafkaError) -> [KafkaAssignedPartition] {
        guard phase == .running, let handle, case .partitions = source else {
            throw KafkaError(.closed, "the consumer is not reading manually assigned partitions")
        }
        let added = offsets.filter { partitions[$0.key] == nil }
        let states = added.compactMap { attach(StartPosition(place: $0, offset: $1, isCommitted: true)) }
        let list = PartitionList(capacity: added.count)
        for (place, offset) in added { list.append(place, offset: offset) }
        if let error = rd_kafka_incremental_assign(handle.client.raw, list.pointer) {
            for place in added.keys { forget(place) }
            throw KafkaError(taking: error, during: "assigning additional partitions")
        }
        for state in states { serve(state) }
        return states.map(\.assigned)
    }

    /// Stops reading these partitions on a consumer without a group, and ends any pending reads.
    public func stopReading(_ places: [KafkaTopicPartition]) {
        guard let handle, case .partitions = source else { return }
        let known = places.filter { partitions[$0] != nil }
        guard !known.isEmpty else { return }
        let list = PartitionList(known)
        report(rd_kafka_incremental_unassign(handle.client.raw, list.pointer), during: "unassigning partitions")
        for place in known { forget(place) }
    }
}
