internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Primitives
internal import Telemetry

/// Reads the state's topics. The reader is the only writer of the database.
extension KeyedState {
    /// Opens the file and the topics, and follows the partitions that the role requires.
    func open() async throws {
        let file = StateFile(path: options.path, logger: logger)
        let topics = Array(Set(options.topics.values)).sorted { $0.rawValue < $1.rawValue }
        let store = try file.open(topics: topics, dictionary: model.dictionary, now: clocks.wallMilliseconds())
        do {
            let cluster = try await describe(topics)
            let known = try store.cluster(cluster.id)
            guard known == cluster.id else {
                throw StartupError(
                    "\(options.path) belongs to the cluster \(known), but the brokers belong to \(cluster.id)",
                    setting: "data.dir", fix: "Name another directory, or remove this file: it is rebuilt from Kafka",
                    exitCode: .configuration)
            }
            try PartitionCounts.check(cluster.counts, store, path: options.path)
            try store.beginDirectWrites(RestoreMarker(database: options.path))
            // One connection for each partition that is computing, and one to look for due rows in the meantime.
            let rows = try StateRowSource(
                path: options.path, topics: store.topics, dictionary: model.dictionary, store: store,
                connections: min(4, computing.limit + 1))
            let publisher = try StatePublisher(kafka, topics: topics, logger: logger)
            var partitions: [KafkaTopicPartition: Partition] = [:]
            let counts = cluster.counts.mapValues { Int32(clamping: $0) }
            let count = cluster.counts.values.reduce(0, +)
            for (topic, number) in counts {
                for partition in 0..<number {
                    let place = KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: partition))
                    partitions[place] = Partition(
                        place, model: model, writer: writer, rows: rows, partitionCount: number,
                        maximumBytes: max(1, options.cacheBytes / max(1, count)),
                        publish: { [metrics, frequent, options] in
                            if let value = $0.value, value.count > options.largeValue {
                                metrics.large.increment()
                                frequent.log(
                                    .warning, key: "large", "published value exceeds the recommended size",
                                    place.logFields + [LogField(.bytes, value.count)])
                            }
                            publisher.send($0, completion: $1)
                        })
                }
            }
            var settings = KafkaConsumer.Options()
            settings.outOfRange = kafka.profile == .embedded ? .resetToBeginning : .stop
            settings.prefetch.partitions = count
            let consumer = KafkaConsumer(kafka, source: .partitions([:]), options: settings) { [weak self] event in
                self?.receive(event)
            }
            let queries = try StateQueries(kafka, group: options.history?.group, on: executor)
            try await consumer.start()
            let parts = Parts(
                store: store, writer: StateWriter(store), rows: rows,
                reader: try StateReader(path: options.path, topics: store.topics, model: model, store: store),
                publisher: publisher, consumer: consumer, queries: queries, partitions: partitions,
                partitionCounts: counts,
                retention: cluster.retention)
            withRunning { running in
                running.parts = parts
                running.health.lastSign = clocks.monotonicMilliseconds()
            }
            try await refuseToForget(parts)
            try beginRestore(parts)
            if options.role != .worker { for place in partitions.keys { follow(place) } }
        } catch let error as KafkaError {
            await release(store)
            throw StartupError(
                "cannot read the state's topics: \(error)", setting: "kafka.*", fix: "Correct the named property",
                exitCode: .configuration)
        } catch {
            await release(store)
            throw error
        }
    }

    /// Closes everything after a failed start.
    private func release(_ store: StateStore) async {
        if let parts = withRunning({ $0.parts.take() }) { await close(parts, within: .seconds(2)) }
        store.close()
    }

    /// Checks for lost state before joining the group, for the partitions with a leader that answers. Each partition is
    /// checked again on assignment.
    private func refuseToForget(_ parts: Parts) async throws {
        guard options.role != .reader, options.history != nil else { return }
        var empty: [KafkaTopicPartition] = []
        let ends = await parts.queries.watermarks(of: Array(parts.partitions.keys), within: .seconds(2))
        for (input, topic) in options.topics {
            for (place, ends) in ends where place.topic == topic {
                guard try isUnknown(place, ends, parts) else { continue }
                empty.append(KafkaTopicPartition(topic: input, partition: place.partition))
            }
        }
        do {
            try await refuseToForget(empty, parts)
        } catch let error as KafkaError {
            frequent.log(
                .warning, key: "history", "committed offsets unavailable; skipping the lost-state check for now",
                [LogField(.error, error.message)])
        }
    }

    private struct Cluster {
        var id: String
        var counts: [KafkaTopic: Int]
        var retention: [KafkaTopic: Int64]
    }

    private func describe(_ topics: [KafkaTopic]) async throws -> Cluster {
        try await KafkaAdmin(kafka).closing { try await describe(topics, $0) }
    }

    private func describe(_ topics: [KafkaTopic], _ admin: KafkaAdmin) async throws -> Cluster {
        var cluster = Cluster(id: try await admin.clusterId(within: .seconds(10)), counts: [:], retention: [:])
        let found = try await admin.describeTopics(
            topics + options.topics.keys, within: .seconds(10))
        var counts: [KafkaTopic: Int] = [:]
        for topic in found { counts[topic.topic] = topic.partitions.count }
        for (input, topic) in options.topics {
            guard let count = counts[topic], let inputs = counts[input] else {
                throw StartupError(
                    "\(counts[topic] == nil ? topic : input) does not exist", setting: "topics.prefix",
                    fix: "sluicectl topics apply", exitCode: .configuration)
            }
            guard count == inputs else {
                throw StartupError(
                    "\(topic) has \(count) partitions and \(input) has \(inputs): the counts must be equal",
                    setting: "topics.prefix",
                    fix: "Create the topics with sluicectl topics apply under another topics.prefix",
                    exitCode: .configuration)
            }
            cluster.counts[topic] = count
            let wanted = options.tombstoneRetention.components.seconds * 1_000
            let settings = found.first { $0.topic == topic }?.configuration
            let kept = settings?[KafkaTopicFinding.Subject.deleteRetention.rawValue].flatMap { Int64($0) }
            // Rebuild a file that is out of date by more than five sixths of the topic's tombstone retention. The
            // remaining sixth is the time in which to read the missed records before their tombstones are removed.
            cluster.retention[topic] = min(wanted, kept.map { max(0, $0) / 6 * 5 } ?? wanted)
        }
        return cluster
    }

    // MARK: Partitions

    /// Starts reading a partition from the position applied so far, unless it is already being read.
    func follow(_ place: KafkaTopicPartition) {
        withRunning { running in
            guard running.followed[place] == nil, !running.isStopping, let parts = running.parts else { return }
            running.unread[place] = .some(nil)
            progress.follow(place)
            let ending = running.unfollowing.removeValue(forKey: place)
            running.followed[place] = followers.begin { [self] in
                await ending?.value
                await read(place, parts)
            }
        }
    }

    /// Stops reading a partition. Its rows and position are kept, and brought up to date when it is read again.
    private func unfollow(_ place: KafkaTopicPartition) {
        withRunning { running in
            // The partition may have been assigned since the standbys were chosen.
            guard !running.assigned.contains(place), let parts = running.parts,
                let task = running.followed.removeValue(forKey: place)
            else { return }
            running.unread[place] = nil
            running.ends[place] = nil
            progress.unfollow(place)
            running.health.forget(place)
            running.unfollowing[place] = followers.begin {
                task.cancel()
                await task.value
                await parts.consumer.stopReading([place])
                parts.partitions[place]?.releaseAcknowledged()
            }
        }
    }

    /// Makes a worker follow, in addition to its assigned partitions, the `standbys` partitions from which its file was
    /// updated most recently.
    func adjustStandbys() {
        guard options.role == .worker, let parts = try? parts() else { return }
        let assigned = withRunning { $0.assigned }
        let others = parts.partitions.keys.filter { !assigned.contains($0) }
        let seen = Dictionary(
            uniqueKeysWithValues: others.map { ($0, (try? parts.store.position(of: $0))?.seen ?? 0) })
        // Rank by a random identifier, so that members with new files choose different partitions.
        let chosen = others.sorted { one, other in
            (seen[one] ?? 0, rank(one)) > (seen[other] ?? 0, rank(other))
        }.prefix(options.standbys)
        let wanted = assigned.union(chosen)
        for place in withRunning({ Array($0.followed.keys) }) where !wanted.contains(place) { unfollow(place) }
        for place in wanted { follow(place) }
    }

    private func rank(_ place: KafkaTopicPartition) -> UInt64 {
        FNV1a.hash(place.description.utf8, from: writer)
    }

    private func read(_ place: KafkaTopicPartition, _ parts: Parts) async {
        guard let partition = parts.partitions[place], let start = await start(place, parts) else { return }
        var assigned = await assign(place, from: start, parts)
        while let current = assigned {
            progress.restart(at: current.startOffset.rawValue, of: place)
            reached(current.startOffset.rawValue, in: place)
            partition.restart()
            await read(current, partition, parts)
            // If the embedded broker has reset a log, the consumer replaces the assignment, and reading continues with
            // the new one.
            assigned = await parts.consumer.assignedPartitions.first {
                $0.topicPartition == place && $0.epoch != current.epoch && $0.isActive
            }
        }
    }

    /// Starts reading a partition, retrying while librdkafka refuses it. Returns nil if the task is cancelled or the
    /// service stops.
    private func assign(_ place: KafkaTopicPartition, from start: Int64, _ parts: Parts) async
        -> KafkaAssignedPartition?
    {
        while !Task.isCancelled, !withRunning({ $0.isStopping }) {
            do {
                return try await parts.consumer.read([place: KafkaOffset(rawValue: start)]).first
            } catch {
                frequent.log(
                    .warning, key: "assign", "state partition is not readable yet; retrying",
                    place.logFields + [LogField(.error, error.message)])
            }
            guard (try? await Task.sleep(for: .milliseconds(500))) != nil else { return nil }
        }
        return nil
    }

    private func read(_ assigned: KafkaAssignedPartition, _ partition: Partition, _ parts: Parts) async {
        while let records = await assigned.nextPacked(maxRecords: 1_000, maxBytes: 4 << 20) {
            guard let last = records.last else {
                // The reader reached the end of the partition. Use its position, because the last records may have been
                // compacted away.
                reached(assigned.position.rawValue, in: partition.name)
                continue
            }
            let next = last.offset.rawValue + 1
            guard await apply(records, last, of: partition, assigned, parts) else { return }
            reached(next, in: partition.name)
            // Wait so that more records share a transaction, unless a task is waiting for a publication.
            if records.count < 200, !progress.isAwaited(partition.name) {
                guard await assigned.pause(for: .milliseconds(25)) else { return }
            }
        }
    }

    /// Returns the offset at which reading begins, retrying until the partition has a leader. Returns nil if the task
    /// is cancelled or the service stops.
    private func start(_ place: KafkaTopicPartition, _ parts: Parts) async -> Int64? {
        while !Task.isCancelled, !withRunning({ $0.isStopping }) {
            do {
                let ends = try await parts.queries.watermarks(of: place, within: .seconds(5))
                let isOther = try await isRecreated(place, ends, parts)
                let start = try startOffset(of: place, ends, isRecreated: isOther, parts)
                withRunning { running in
                    guard running.followed[place] != nil else { return }
                    running.ends[place] = ends.high.rawValue
                    running.unread[place] = .some(ends.high.rawValue)
                }
                return start
            } catch {
                (error as? StateError).map(fail)
                frequent.log(
                    .warning, key: "start", "state partition is not readable yet; retrying",
                    place.logFields + [LogField(.error, "\(error)")])
            }
            guard (try? await Task.sleep(for: .milliseconds(500))) != nil else { return nil }
        }
        return nil
    }

    private func startOffset(
        of place: KafkaTopicPartition, _ ends: KafkaWatermarks, isRecreated: Bool, _ parts: Parts
    ) throws(StateError) -> Int64 {
        let low = ends.low.rawValue
        guard let known = try parts.store.position(of: place) else {
            if low > 0 { notComplete(place, "the oldest records of the partition were deleted") }
            return low
        }
        if isRecreated {
            metrics.recreated.increment()
            logger.warning("state topic was recreated; republishing local state", place.logFields)
            try parts.store.restart(place)
            return low
        }
        let missed = clocks.wallMilliseconds() - known.seen
        if missed > parts.retention[place.topic] ?? 0, known.next < ends.high.rawValue {
            logger.warning(
                "state partition was not read for too long; reading all of it again",
                place.logFields + [LogField(.ageSeconds, missed / 1_000)])
            try parts.store.forget(place)
            if low > 0 { notComplete(place, "the oldest records of the partition were deleted") }
            return low
        }
        if known.next < low {
            notComplete(place, "records were deleted before they were read")
            return low
        }
        return known.next
    }

    private func notComplete(_ partition: KafkaTopicPartition, _ reason: String) {
        metrics.incomplete.increment()
        logger.warning("state is incomplete", partition.logFields + [LogField(.finding, reason)])
    }

    // MARK: Records

    /// Applies records and writes their changes, retrying a failed write until it succeeds.
    ///
    /// - Returns: false if the partition is no longer being read.
    private func apply(
        _ records: PackedRecords, _ last: KafkaRecord, of partition: Partition, _ assigned: KafkaAssignedPartition,
        _ parts: Parts
    ) async -> Bool {
        let place = partition.name
        var applied: Partition.Applied?
        var failures = 0
        while true {
            do {
                // After a failed transaction, the rows in memory have already changed, so only the write is repeated.
                let known = applied
                let changes = try await computing.with { try known ?? partition.apply(records) }
                applied = changes
                let ids = try await parts.writer.apply(
                    StateWrite(
                        changes, of: partition, next: last.offset.rawValue + 1, now: clocks.wallMilliseconds(),
                        last: RecordPrint(last)))
                withRunning { $0.health.wrote(place, failed: false) }
                partition.committed(ids)
                count(changes, in: partition)
                tellProgress()
                return true
            } catch {
                let error = StateError(error)
                withRunning { $0.health.wrote(place, failed: true) }
                if error.code == .newer { partition.block() }
                fail(error)
                frequent.log(
                    .error, key: "apply", "writing the state failed; retrying",
                    partition.name.logFields + [LogField(.error, error.message)])
            }
            failures += 1
            guard await assigned.pause(for: .milliseconds(min(10_000, 100 << min(failures, 7)))) else { return false }
        }
    }

    /// Logs how much of a restore remains, at most once per interval.
    private func tellProgress() {
        let now = clocks.monotonicMilliseconds()
        let interval = options.progressInterval.clampedMilliseconds
        let told = withRunning { running -> (time: Int64, left: Int64)? in
            guard !running.unread.isEmpty else { return nil }
            return running.restore.applied(at: now, interval: interval).map { ($0, unreadRecords(running)) }
        }
        guard let told else { return }
        logger.info(
            "state is being restored", [LogField(.milliseconds, told.time), LogField(.remaining, told.left)])
    }

    private func count(_ applied: Partition.Applied, in partition: Partition) {
        metrics.applied.increment(by: UInt64(clamping: applied.changed))
        metrics.unreadable.increment(by: UInt64(clamping: applied.unreadable))
        // The owner republishes incomplete and outdated rows on its next tick, so they are counted as repaired.
        if partition.isOwned { metrics.repaired.increment(by: UInt64(clamping: applied.behind)) }
        guard applied.misplaced > 0 else { return }
        metrics.misplaced.increment(by: UInt64(clamping: applied.misplaced))
        frequent.log(
            .error, key: "misplaced", "skipped state records that are not in the partition of their key",
            partition.name.logFields)
    }

    private func reached(_ next: Int64, in place: KafkaTopicPartition) {
        progress.reached(next, in: place)
        let now = clocks.monotonicMilliseconds()
        let restored = withRunning { running -> Parts? in
            running.health.advanced(place, isBehind: running.ends[place].map { next < $0 } ?? false, at: now)
            guard let end = running.unread[place], let end, next >= end else { return nil }
            running.unread[place] = nil
            return running.unread.isEmpty ? running.parts : nil
        }
        restored.map(endRestore)
    }

    /// Records the end of a partition as reported by a broker.
    func sawEnd(_ end: Int64, of place: KafkaTopicPartition) {
        let now = clocks.monotonicMilliseconds()
        withRunning { running in
            guard running.followed[place] != nil else { return }
            running.ends[place] = end
            running.health.sawEnd(of: place, isBehind: (progress.next(of: place) ?? 0) < end, at: now)
        }
    }

    // MARK: Events

    func receive(_ event: KafkaConsumerEvent) {
        switch event {
        case .statistics(let statistics):
            let now = clocks.monotonicMilliseconds()
            withRunning { running in
                running.health.lastSign = now
                running.health.brokersUp = statistics.brokersUp
            }
            for partition in statistics.partitions {
                guard let high = partition.highOffset, high >= 0 else { continue }
                sawEnd(high, of: partition.topicPartition)
            }
        case .offsetReset(let partition, _, let found):
            notComplete(partition, "reading continued at offset \(found)")
        case .offsetOutOfRange(let partition, let offset):
            notComplete(partition, "offset \(offset) no longer exists")
            fail(
                .offsetOutOfRange(
                    partition, offset,
                    fix:
                        "Find the cause of the deletions in a compacted topic, then start again: local state is kept"
                ))
        case .damaged(let partition, let offset, let error):
            fail(.damaged(partition, offset, error))
        case .fatal(let error):
            fail(.clientFailed(error))
        case .error(let error):
            frequent.log(.warning, key: error.name, "state reader error", [LogField(.error, error.message)])
        default: break
        }
    }
}
