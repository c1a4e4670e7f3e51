internal import CRdKafka
internal import Dispatch

extension KafkaAdmin {
    /// The watermarks of each partition, or the query's error.
    public typealias Ends = [KafkaTopicPartition: Result<KafkaWatermarks, KafkaError>]

    /// Returns the oldest and the next offset of each partition of a topic, querying all leaders concurrently.
    ///
    /// - Throws: `unknownTopic` if the topic does not exist; `topicAuthorizationFailed` if this user may not describe
    ///   the topic, because brokers then do not reveal whether it exists; `timedOut` if a leader does not answer within
    ///   `limit`.
    public func watermarks(
        of topic: KafkaTopic, within limit: Duration = .seconds(10)
    ) async throws(KafkaError) -> [KafkaTopicPartition: KafkaWatermarks] {
        try await retrying(within: limit) { left throws(KafkaError) in
            let leaders = try await leaders(of: [topic], within: left)
            guard !leaders.isEmpty else {
                guard try await deniedTopics(among: [topic], within: left).isEmpty else {
                    throw KafkaError(.topicAuthorizationFailed, "access to topic \(topic) is denied")
                }
                throw KafkaError(.unknownTopic, "topic \(topic) does not exist")
            }
            var watermarks: [KafkaTopicPartition: KafkaWatermarks] = [:]
            for (place, result) in await ends(of: Set(leaders.keys), leaders, within: left) {
                watermarks[place] = try result.get()
            }
            return watermarks
        }
    }

    /// Queries all leaders concurrently for the oldest and the next offset of these partitions. No query waits behind a
    /// fetch, because this client never fetches.
    ///
    /// - Parameters:
    ///   - limit: the maximum time for one leader.
    ///   - answered: receives each leader's results when they arrive, and the partitions that have no leader or do not
    ///     exist. Each partition is reported once.
    public func ends(
        of partitions: Set<KafkaTopicPartition>, within limit: Duration,
        answered: @escaping @Sendable (Ends) -> Void
    ) async {
        do throws(KafkaError) {
            let leaders = try await leaders(of: Set(partitions.map(\.topic)), within: limit)
            _ = await ends(of: partitions, leaders, within: limit, answered: answered)
        } catch {
            answered(Dictionary(uniqueKeysWithValues: partitions.map { ($0, .failure(error)) }))
        }
    }

    private func ends(
        of partitions: Set<KafkaTopicPartition>, _ leaders: [KafkaTopicPartition: Int32?], within limit: Duration,
        answered: @escaping @Sendable (Ends) -> Void = { _ in }
    ) async -> Ends {
        var byLeader: [Int32: [KafkaTopicPartition]] = [:]
        var ends: Ends = [:]
        for place in partitions {
            switch leaders[place] {
            case .some(let leader?): byLeader[leader, default: []].append(place)
            case .some(nil): ends[place] = .failure(KafkaError(.leaderNotAvailable, "\(place) has no leader"))
            case nil: ends[place] = .failure(KafkaError(.unknownPartition, "\(place) does not exist"))
            }
        }
        if !ends.isEmpty { answered(ends) }
        return await withTaskGroup(of: Ends.self) { group in
            for places in byLeader.values {
                group.addTask {
                    let answers = await self.ends(of: places, within: limit)
                    answered(answers)
                    return answers
                }
            }
            return await group.reduce(into: ends) { $0.merge($1) { first, _ in first } }
        }
    }

    /// Queries one leader on a separate queue, so that an unresponsive leader does not delay other calls.
    private func ends(of places: [KafkaTopicPartition], within limit: Duration) async -> Ends {
        do throws(KafkaError) {
            return try await run(on: DispatchQueue(label: "kafka.admin.ends")) { handle throws(KafkaError) in
                KafkaWatermarks.query(places, within: limit, handle: handle)
            }
        } catch {
            return Dictionary(uniqueKeysWithValues: places.map { ($0, .failure(error)) })
        }
    }

    /// Returns the leader of each partition of these topics, or nil for a partition without a leader. Topics that do
    /// not exist are omitted.
    private func leaders(
        of topics: Set<KafkaTopic>, within limit: Duration
    ) async throws(KafkaError) -> [KafkaTopicPartition: Int32?] {
        let layouts = try await run { handle throws(KafkaError) in
            try Self.layouts(of: topics, on: handle, within: limit)
        }
        var leaders: [KafkaTopicPartition: Int32?] = [:]
        for (topic, partitions) in layouts {
            for partition in partitions {
                leaders[KafkaTopicPartition(topic: topic, partition: partition.partition)] = .some(partition.leader)
            }
        }
        return leaders
    }
}
