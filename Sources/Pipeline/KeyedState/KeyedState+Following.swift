internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Telemetry
internal import Time

extension KeyedState {
    /// Starts to read the state's topics, each partition from where it was read up to.
    ///
    /// - Throws: a `StartupError` when a topic is not what it must be.
    func startFollowing() async throws {
        let offsets = try await startOffsets()
        var options = KafkaConsumer.Options()
        options.outOfRange = kafka.profile == .embedded ? .resetToBeginning : .stop
        let consumer = KafkaConsumer(kafka, source: .partitions(offsets), options: options) { [weak self] event in
            self?.receive(event)
        }
        do {
            try await consumer.start()
        } catch {
            throw StartupError(
                "cannot read the state's topics: \(error)", setting: "kafka.*", fix: "Correct the named property",
                exitCode: .configuration)
        }
        withRunning { $0.consumer = consumer }
        for partition in await consumer.assignedPartitions { follow(partition) }
    }

    /// Asks for the ends of all partitions, and decides for each where to go on.
    private func startOffsets() async throws -> [KafkaTopicPartition: KafkaOffset] {
        let admin = try KafkaAdmin(kafka)
        do {
            let offsets = try await startOffsets(admin)
            await admin.close(within: .seconds(1))
            return offsets
        } catch {
            await admin.close(within: .seconds(1))
            throw error
        }
    }

    private func startOffsets(_ admin: KafkaAdmin) async throws -> [KafkaTopicPartition: KafkaOffset] {
        var offsets: [KafkaTopicPartition: KafkaOffset] = [:]
        var allEnds: [KafkaTopicPartition: KafkaWatermarks] = [:]
        var allInputs: [KafkaTopicPartition: KafkaWatermarks] = [:]
        for (input, topic) in layout.topics.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let ends = try await admin.watermarks(of: topic, within: .seconds(10))
            let retention = try await tombstoneRetention(of: topic, admin)
            let inputs = try await admin.watermarks(of: input, within: .seconds(10))
            guard ends.count == inputs.count else {
                throw StartupError(
                    "\(topic) has \(ends.count) partitions and \(input) has \(inputs.count): they must have equally many",
                    setting: "topics.prefix",
                    fix: "Make the topics anew with sluicectl topics apply, under another topics.prefix",
                    exitCode: .configuration)
            }
            allEnds.merge(ends) { $1 }
            allInputs.merge(inputs) { $1 }
            store.learn(ends.count, of: topic)
            for (partition, watermarks) in ends {
                offsets[partition] = KafkaOffset(rawValue: try startOffset(of: partition, watermarks, retention))
                if watermarks.high > offsets[partition] ?? .beginning {
                    withRunning { $0.unread[partition] = watermarks.high.rawValue }
                }
            }
        }
        try await refuseToForget(admin, ends: allEnds, inputs: allInputs)
        withRunning { running in if running.unread.isEmpty { running.obstacle = nil } }
        return offsets
    }

    /// How long a file may have missed what was published, in milliseconds: less where the topic lets tombstones go sooner.
    private func tombstoneRetention(of topic: KafkaTopic, _ admin: KafkaAdmin) async throws -> Int64 {
        let wanted = layout.tombstoneRetention.components.seconds * 1_000
        let settings = try await admin.describeTopics([topic], within: .seconds(10)).first?.configuration
        let found = settings?[KafkaTopicFinding.Subject.deleteRetention.rawValue].flatMap { Int64($0) }
        // What is left of it is for reading what was missed.
        return min(wanted, found.map { max(0, $0) / 6 * 5 } ?? wanted)
    }

    private func startOffset(
        of partition: KafkaTopicPartition, _ ends: KafkaWatermarks, _ tombstoneRetention: Int64
    ) throws(StateError) -> Int64 {
        let low = ends.low.rawValue
        guard let known = try store.position(of: partition) else {
            if low > 0 { notComplete(partition, "its oldest records are gone") }
            return low
        }
        if known.next > ends.high.rawValue {
            logger.warning("state topic was begun anew, publishing what is known", partition.logFields)
            try store.beginAnew(partition, keepsRows: true)
            return low
        }
        let missed = clocks.wallMilliseconds() - known.seen
        if missed > tombstoneRetention, known.next < ends.high.rawValue {
            logger.warning(
                "state was not followed for long, reading all of it again",
                partition.logFields + [LogField(.ageSeconds, missed / 1_000)])
            try store.beginAnew(partition, keepsRows: false)
            if low > 0 { notComplete(partition, "its oldest records are gone") }
            return low
        }
        if known.next < low {
            notComplete(partition, "records were deleted before they were read")
            return low
        }
        return known.next
    }

    private func notComplete(_ partition: KafkaTopicPartition, _ reason: String) {
        metrics.incomplete.increment()
        logger.warning("state is not complete", partition.logFields + [LogField(.finding, reason)])
    }

    func receive(_ event: KafkaConsumerEvent) {
        switch event {
        // A partition whose log was begun anew comes again.
        case .assigned(let partitions) where withRunning({ $0.consumer != nil }):
            for partition in partitions { follow(partition) }
        case .offsetReset(let partition, _, let found):
            notComplete(partition, "read on at \(found)")
        case .offsetOutOfRange(let partition, let offset):
            notComplete(partition, "offset \(offset) is gone")
            fail(
                .offsetOutOfRange(
                    partition, offset,
                    fix:
                        "Find out what deletes records of a compacted topic, then start again: what is known here is kept"
                ))
        case .fatal(let error):
            fail(.clientFailed(error))
        case .error(let error):
            frequent.log(.warning, key: error.name, "state reader error", [LogField(.error, error.message)])
        default: break
        }
    }

    private func follow(_ partition: KafkaAssignedPartition) {
        progress.reached(partition.startOffset.rawValue, in: partition.topicPartition)
        followers.begin { [self] in
            while let records = await partition.next(maxRecords: Self.batch, maxBytes: 4 << 20) {
                guard let last = records.last else {
                    // The end, in front of which there may be no record.
                    reached(partition.position.rawValue, in: partition.topicPartition)
                    continue
                }
                var failures = 0
                while !followed(records, of: partition.topicPartition) {
                    failures += 1
                    let pause = Duration.milliseconds(min(10_000, 100 << min(failures, 7)))
                    guard await partition.pause(for: pause) else { return }
                }
                reached(last.offset.rawValue + 1, in: partition.topicPartition)
            }
        }
    }

    /// - Returns: false when the database could not take the records.
    private func followed(_ records: [KafkaRecord], of place: KafkaTopicPartition) -> Bool {
        do {
            let followed = try store.follow(records, of: place, at: clocks.wallMilliseconds())
            metrics.followed.increment(by: UInt64(clamping: followed.merged))
            metrics.unreadable.increment(by: UInt64(clamping: followed.unreadable))
            if followed.behind > 0, isOwned(place) {
                metrics.repaired.increment(by: UInt64(clamping: followed.behind))
                // What is not on its way already is published by the next look, at most a tick away.
            }
            return true
        } catch {
            frequent.log(
                .error, key: "follow", "state cannot be written, reading waits",
                place.logFields + [LogField(.error, "\(error)")])
            return false
        }
    }

    private func reached(_ next: Int64, in place: KafkaTopicPartition) {
        progress.reached(next, in: place)
        withRunning { running in
            guard let end = running.unread[place], next >= end else { return }
            running.unread[place] = nil
            if running.unread.isEmpty { running.obstacle = nil }
        }
    }
}
