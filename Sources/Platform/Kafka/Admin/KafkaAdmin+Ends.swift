internal import CRdKafka
internal import Dispatch

extension KafkaAdmin {
    /// The ends of each partition, or why they are not known.
    public typealias Ends = [KafkaTopicPartition: Result<KafkaWatermarks, KafkaError>]

    /// The oldest and the next offset of each partition of a topic, asked of all leaders at once.
    ///
    /// - Throws: `unknownTopic` when it does not exist; `topicAuthorizationFailed` when this user may not describe it, so
    ///   that the brokers do not tell whether it exists; `timedOut` when a leader does not answer within `limit`.
    public func watermarks(
        of topic: KafkaTopic, within limit: Duration = .seconds(10)
    ) async throws(KafkaError) -> [KafkaTopicPartition: KafkaWatermarks] {
        try await retrying(within: limit) { left throws(KafkaError) in
            let leaders = try await leaders(of: [topic], within: left)
            guard !leaders.isEmpty else {
                guard try await deniedTopics(among: [topic], within: left).isEmpty else {
                    throw KafkaError(.topicAuthorizationFailed, "topic \(topic) is denied to this user")
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

    /// The oldest and the next offset of several partitions, asked of all leaders at once. This client fetches nothing, so
    /// that no question waits for a fetch.
    ///
    /// - Parameters:
    ///   - limit: how long a leader may take.
    ///   - answered: called with the answers of each leader as they come, and with the partitions that have no leader
    ///     or do not exist; once for each partition.
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

    /// Asks one leader, on a queue of its own: a leader that does not answer holds up no other call.
    private func ends(of places: [KafkaTopicPartition], within limit: Duration) async -> Ends {
        do throws(KafkaError) {
            return try await run(on: DispatchQueue(label: "kafka.admin.ends")) { handle throws(KafkaError) in
                KafkaWatermarks.query(places, within: limit, handle: handle)
            }
        } catch {
            return Dictionary(uniqueKeysWithValues: places.map { ($0, .failure(error)) })
        }
    }

    /// The leader of each partition of some topics, nil where there is none; topics that do not exist are left out.
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
