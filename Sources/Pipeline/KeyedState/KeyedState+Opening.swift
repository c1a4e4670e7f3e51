internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Primitives
internal import Telemetry

/// Opens the database and the topics when the state starts.
extension KeyedState {
    /// Opens the file and the topics, and follows the partitions that the role requires.
    func open() async throws {
        let file = StateFile(path: options.path, logger: logger)
        let topics = Array(Set(options.topics.values)).sorted { $0.rawValue < $1.rawValue }
        let store = try file.open(topics: topics, dictionary: model.dictionary, now: clocks.wallMilliseconds())
        do {
            let described = try await ChangelogTopics(of: options, kafka)
            let known = try store.cluster(described.cluster)
            guard known == described.cluster else {
                throw StartupError(
                    "\(options.path) belongs to the cluster \(known), but the brokers belong to \(described.cluster)",
                    setting: "data.dir",
                    fix: "Use a different directory, or remove this file; it is rebuilt from Kafka",
                    exitCode: .configuration)
            }
            try PartitionCounts.check(described.partitionCounts, store, path: options.path)
            try store.beginDirectWrites(RestoreMarker(database: options.path))
            // One connection for each concurrent merge or apply, and one to look for due rows.
            let database = try StateDatabase(
                store, path: options.path, model: model, connections: min(4, computing.limit + 1))
            let changelog = try await openChangelog(described)
            let parts = Parts(
                database: database, changelog: changelog,
                partitions: makePartitions(of: changelog, database.rows))
            withRunning { running in
                running.parts = parts
                running.health.lastSign = clocks.monotonicMilliseconds()
            }
            try await refuseToForget(parts)
            try beginRestore(parts)
            if options.role != .worker { for place in parts.partitions.keys { follow(place) } }
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

    /// Checks for lost state before joining the group, in the partitions whose leader answers. Each partition is
    /// checked again on assignment.
    private func refuseToForget(_ parts: Parts) async throws {
        guard options.role != .reader, options.history != nil else { return }
        var empty: [KafkaTopicPartition] = []
        let ends = await parts.changelog.queries.watermarks(of: Array(parts.partitions.keys), within: .seconds(2))
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

    private func openChangelog(_ topics: ChangelogTopics) async throws -> Changelog {
        var settings = KafkaConsumer.Options()
        settings.outOfRange = kafka.profile == .embedded ? .resetToBeginning : .stop
        settings.prefetch.partitions = topics.partitionCounts.values.reduce(0, +)
        let changelog = Changelog(
            publisher: try StatePublisher(kafka, topics: Array(topics.partitionCounts.keys), logger: logger),
            consumer: KafkaConsumer(
                try Changelog.readingConfiguration(kafka), source: .partitions([:]), options: settings
            ) { [weak self] event in self?.receive(event) },
            queries: try StateQueries(kafka, group: options.history?.group, on: executor),
            partitionCounts: topics.partitionCounts.mapValues { Int32(clamping: $0) }, retention: topics.retention)
        try await changelog.consumer.start()
        return changelog
    }

    private func makePartitions(
        of changelog: Changelog, _ rows: StateRowSource
    ) -> [KafkaTopicPartition: Partition] {
        let count = changelog.partitionCounts.values.reduce(0) { $0 + Int($1) }
        var partitions: [KafkaTopicPartition: Partition] = [:]
        for (topic, number) in changelog.partitionCounts {
            for partition in 0..<number {
                let place = KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: partition))
                partitions[place] = Partition(
                    place, model: model, writer: writer, rows: rows, partitionCount: number,
                    maximumBytes: max(1, options.cacheBytes / max(1, count)),
                    publish: { [metrics, frequent, options, publisher = changelog.publisher] in
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
        return partitions
    }
}
