extension KafkaConsumer {
    /// Records from one range of ``readRanges(_:_:clients:options:body:)``.
    package struct RangeBatch: Sendable {
        package let partition: KafkaTopicPartition
        /// The records, ascending by offset, except those that the filter excludes.
        package let records: [KafkaRecord]
        /// The offset up to which the range has been read, or the upper bound if nothing is left.
        package let nextOffset: Int64
        fileprivate let reader: RangeReader
    }

    /// Reads ranges of partitions concurrently, without a group. Uses several clients, because each client handles all
    /// responses from a broker on one thread.
    ///
    /// - Parameters:
    ///   - ranges: the offsets to read, within the watermarks.
    ///   - clients: the maximum number of clients to divide the partitions among.
    ///   - options: the options for each client, such as prefetch limits and the filter.
    ///   - body: receives the batches of all partitions one at a time; returns false to stop.
    /// - Throws: the error that stopped reading, such as `offsetOutOfRange`, `topicAuthorizationFailed` or a fatal
    ///   error; a `CancellationError`; any error thrown by `body`.
    package static func readRanges(
        _ configuration: KafkaConfiguration, _ ranges: [KafkaTopicPartition: Range<Int64>], clients: Int,
        options: Options = Options(), body: (RangeBatch) throws -> Bool
    ) async throws {
        var options = options
        options.stopsIfDenied = true
        let consumers = shares(ranges, clients).map { [options] share in
            KafkaConsumer(
                configuration, source: .partitions(share.mapValues { KafkaOffset(rawValue: $0.lowerBound) }),
                options: options
            ) { _ in }
        }
        do {
            for consumer in consumers { try await consumer.start() }
            try await read(ranges, with: consumers, body)
        } catch {
            await close(consumers)
            throw error
        }
        await close(consumers)
    }

    private static func read(
        _ ranges: [KafkaTopicPartition: Range<Int64>], with consumers: [KafkaConsumer],
        _ body: (RangeBatch) throws -> Bool
    ) async throws {
        try await withThrowingTaskGroup(of: RangeBatch.self) { group in
            defer { group.cancelAll() }
            for consumer in consumers {
                for partition in await consumer.assignedPartitions {
                    guard let range = ranges[partition.topicPartition] else { continue }
                    let reader = RangeReader(consumer: consumer, partition: partition, range: range)
                    group.addTask { try await reader.next() }
                }
            }
            while let batch = try await group.next() {
                guard try body(batch) else { return }
                guard batch.nextOffset < batch.reader.range.upperBound else {
                    await batch.reader.stop()
                    continue
                }
                group.addTask { try await batch.reader.next() }
            }
        }
    }

    private static func close(_ consumers: [KafkaConsumer]) async {
        await withTaskGroup(of: Void.self) { group in
            for consumer in consumers { group.addTask { await consumer.close(within: .seconds(5)) } }
        }
    }

    /// Divides the ranges so that each client reads about the same number of records. Omits empty ranges.
    private static func shares(
        _ ranges: [KafkaTopicPartition: Range<Int64>], _ clients: Int
    ) -> [[KafkaTopicPartition: Range<Int64>]] {
        let ordered = ranges.filter { !$0.value.isEmpty }.sorted { $0.value.count > $1.value.count }
        var shares = [[KafkaTopicPartition: Range<Int64>]](repeating: [:], count: max(1, min(clients, ordered.count)))
        var counts = shares.map { _ in 0 }
        for (place, range) in ordered {
            guard let least = counts.indices.min(by: { counts[$0] < counts[$1] }) else { break }
            shares[least][place] = range
            counts[least] += range.count
        }
        return shares.filter { !$0.isEmpty }
    }
}

/// Reads one partition's range.
private struct RangeReader: Sendable {
    let consumer: KafkaConsumer
    let partition: KafkaAssignedPartition
    let range: Range<Int64>

    func next() async throws -> KafkaConsumer.RangeBatch {
        guard let records = await partition.next(maxRecords: 5_000, maxBytes: 16 << 20) else {
            try Task.checkCancellation()
            throw await consumer.failure(of: partition)
                ?? KafkaError(.closed, "stopped reading \(partition.topicPartition)")
        }
        // At the end of the partition, the remaining offsets in the range contain no records, only transaction markers.
        // If the log was recreated, the position may be below the range.
        let position = max(range.lowerBound, min(partition.position.rawValue, range.upperBound))
        let reached = partition.hasReachedEnd ? range.upperBound : position
        return KafkaConsumer.RangeBatch(
            partition: partition.topicPartition, records: records.filter { range.contains($0.offset.rawValue) },
            nextOffset: reached, reader: self)
    }

    /// Stops fetching records beyond the range.
    func stop() async { await consumer.stopReading([partition.topicPartition]) }
}
