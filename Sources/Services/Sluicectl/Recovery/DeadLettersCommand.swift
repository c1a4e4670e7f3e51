internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Records

/// `sluicectl dlq`: lists, replays and discards records that a consumer group could not handle.
struct DeadLettersCommand {
    let configuration: Configuration
    let timeout: Duration
    /// The settings of the webhook receivers, whose dead letters ``list(_:)`` includes; nil in other commands.
    var access: SluicectlParts.Access?

    private var names: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }

    // MARK: list

    func list(_ console: Console) async throws -> ExitCode {
        let after = configuration[OperationsSettings.after]
        guard after == nil || configuration[OperationsSettings.deadLetterTopic] != nil else {
            throw StartupError(
                "a position belongs to one topic", setting: "--after",
                fix: "Set --topic to the topic printed with the position", exitCode: .usage)
        }
        return try await Brokers.connected(configuration, timeout) { admin, kafka in
            let rows = RecoveryRows(
                ["POSITION", "FAILED", "REASON", "GROUP", "ATTEMPTS", "KEY", "TOPIC", "MESSAGE"], configuration, console
            )
            var (topics, denied) = try await topics(admin)
            for topic in topics {
                do {
                    let scan = try await TopicScan(topic, of: admin, with: kafka, since: filter.from)
                    try await scan.run(after: after) { record in
                        let letter = ReadDeadLetter(record)
                        guard filter.matches(ReplaySubject(letter)) else { return true }
                        return await rows.add(
                            [
                                "\(RecordPosition(record))", letter.firstFailure ?? "-", letter.reason ?? "-",
                                letter.group ?? "-", letter.attempts ?? "-", letter.key ?? "-", topic.rawValue,
                                letter.message ?? "-",
                            ], json: letter.json)
                    }
                } catch {
                    guard (error as? KafkaError)?.code == .topicAuthorizationFailed else { throw error }
                    denied.append(topic)
                }
            }
            guard denied.isEmpty else {
                throw StartupError(
                    "access is denied to topics whose dead letters are not listed: "
                        + denied.map(\.rawValue).joined(separator: ", "),
                    fix: "Grant this user Describe and Read on these topics")
            }
            return .ok
        }
    }

    /// Returns the topic given by `--topic` or, without it, every existing dead letter topic of the installation,
    /// including those of renamed groups and of other consumers, and the topics that this user may not describe.
    private func topics(_ admin: KafkaAdmin) async throws -> (visible: [KafkaTopic], denied: [KafkaTopic]) {
        if let topic = configuration[OperationsSettings.deadLetterTopic] { return ([KafkaTopic(rawValue: topic)], []) }
        let receivers = access?.options(configuration).webhookReceivers ?? []
        let specifications = names.specifications(
            partitions: TopicSpecification.defaultPartitions, groups: names.furtherGroups(receivers),
            receivers: receivers)
        let own = specifications.map(\.name).filter { $0.rawValue.hasSuffix(".dlq") }
        let inputs = specifications.map(\.name).filter { !own.contains($0) }
        let visible = try await admin.describeTopics(settings: .none).map(\.topic).filter { topic in
            inputs.contains { topic.isDeadLetters(of: $0) }
        }
        let denied = try await admin.deniedTopics(among: own.filter { !visible.contains($0) })
        return (visible.sorted { $0.rawValue < $1.rawValue }, denied.sorted { $0.rawValue < $1.rawValue })
    }

    // MARK: show

    func show(_ position: String, _ console: Console) async throws -> ExitCode {
        let position = try QuarantineCommand.position(position)
        return try await withScan { scan in
            let record = try await scan.record(at: position)
            var object = TappedRecord(record, names: names).json
            object[OutputName.position] = .string("\(position)")
            let rows = record.headers.map {
                [PlainText.printable($0.key), PlainText.printable($0.text ?? "(no text)")]
            }
            let key = ReadDeadLetter(record).key.map { PlainText.printable($0) } ?? "-"
            let value = record.value.map { String(decoding: $0, as: UTF8.self) } ?? "(tombstone)"
            await console.write(
                configuration,
                text: PlainText.table([["position", "\(position)"], ["key", key]] + rows)
                    + "\n" + PlainText.printable(value, maximum: 1 << 20) + "\n",
                json: object)
            return .ok
        }
    }

    // MARK: replay

    func replay(_ position: String?, _ interruption: Interruption, _ console: Console) async throws -> ExitCode {
        let position = try position.map { try QuarantineCommand.position($0) }
        let topic = try topic()
        return try await Brokers.connected(configuration, timeout) { admin, kafka in
            let returned = try await returnedLetters(topic, admin, kafka)
            let scan = try await TopicScan(topic, of: admin, with: kafka, since: filter.from)
            let producer = try KafkaProducer(kafka, topics: inputs)
            let run = ReplayRun(
                configuration: configuration, admin: admin, interruption: interruption, console: console)
            do {
                let exitCode = try await run.run(scan, only: position, through: producer) { record in
                    let letter = ReadDeadLetter(record)
                    var item = ReplayItem(
                        position: RecordPosition(record), identity: record.text(.id), subject: ReplaySubject(letter))
                    if filter.matches(item.subject) { item.prepared = prepare(letter, returned) }
                    return item
                }
                await producer.close(within: .seconds(5))
                return exitCode
            } catch {
                await producer.close(within: .seconds(1))
                throw error
            }
        }
    }

    private var inputs: [KafkaTopic] { AppStoreEnvironment.published.map(names.notifications) }

    private var filter: ReplayFilter {
        ReplayFilter(
            from: configuration[ReplaySettings.from]?.millisecondsSince1970,
            to: configuration[ReplaySettings.to]?.millisecondsSince1970, type: configuration[TapSettings.type],
            bundleId: configuration[OperationsSettings.recordApp],
            reason: configuration[OperationsSettings.quarantineReason])
    }

    /// Collects the dead letters that returned after a replay, or returns nil with `--again`. Reads the whole topic: a
    /// letter that returned is at a later position than the letter that was replayed.
    private func returnedLetters(
        _ topic: KafkaTopic, _ admin: KafkaAdmin, _ kafka: KafkaConfiguration
    ) async throws -> ReturnedLetters? {
        guard !configuration[ReplaySettings.again] else { return nil }
        var returned = ReturnedLetters()
        try await TopicScan(topic, of: admin, with: kafka).run { record in
            returned.add(ReadDeadLetter(record))
            return true
        }
        return returned
    }

    private func prepare(
        _ letter: ReadDeadLetter, _ returned: ReturnedLetters?
    ) -> Result<[KafkaProducerRecord], ReplayRefusal> {
        guard let input = letter.input, inputs.contains(input) else {
            // A state topic contains the current state, so an old row must not follow a newer one.
            return .failure(
                ReplayRefusal(
                    reason: "not_a_notification",
                    detail: "only records from the notification topics can be replayed"))
        }
        if let omitted = letter.omitted {
            return .failure(
                ReplayRefusal(
                    reason: "incomplete",
                    detail: "omitted from the dead letter: \(omitted); its headers locate the record"))
        }
        if returned?.contain(letter) ?? false {
            return .failure(
                ReplayRefusal(
                    reason: "returned",
                    detail: "it was replayed before and came back for the same reason; --again sends it again"))
        }
        return .success([letter.replayed(to: input)])
    }

    // MARK: discard

    func discard(_ position: String, _ console: Console) async throws -> ExitCode {
        let position = try QuarantineCommand.position(position)
        let topic = try topic()
        return try await Brokers.connected(configuration, timeout) { admin, kafka in
            let scan = try await TopicScan(topic, of: admin, with: kafka)
            let record = try await scan.record(at: position)
            let place = KafkaTopicPartition(topic: topic, partition: record.partition)
            let isDone = configuration[OperationsSettings.yes]
            let count = position.offset.rawValue - (scan.watermarks[place]?.low.rawValue ?? 0) + 1
            if isDone {
                try await admin.deleteRecords(
                    before: [place: KafkaOffset(rawValue: position.offset.rawValue + 1)])
            }
            let action = isDone ? "deleted" : "would delete"
            await console.write(
                configuration,
                text: "\(place): \(action) everything up to and including \(position), at most \(count) records\n",
                json: [
                    OutputName.ok: .bool(isDone), OutputName.topic: .string(topic.rawValue),
                    OutputName.position: .string("\(position)"), OutputName.records: .integer(count),
                ])
            guard isDone else { throw StartupError("nothing was changed", fix: "Run the command again with --yes") }
            return .ok
        }
    }

    // MARK: private details

    private func topic() throws(StartupError) -> KafkaTopic {
        guard let topic = configuration[OperationsSettings.deadLetterTopic] else {
            throw StartupError(
                "no topic given", setting: "--topic", fix: "Set --topic to a topic printed by list", exitCode: .usage)
        }
        guard topic.hasSuffix(".dlq") else {
            throw StartupError(
                "\(PlainText.printable(topic)) is not a dead letter topic", setting: "--topic",
                fix: "Specify a topic whose name ends with .dlq", exitCode: .usage)
        }
        return KafkaTopic(rawValue: topic)
    }

    private func withScan(_ body: (TopicScan) async throws -> ExitCode) async throws -> ExitCode {
        let topic = try topic()
        return try await Brokers.connected(configuration, timeout) { admin, kafka in
            try await body(try await TopicScan(topic, of: admin, with: kafka))
        }
    }
}

extension DeadLettersCommand {
    init(_ context: CommandContext, _ access: SluicectlParts.Access? = nil) {
        self.init(configuration: context.configuration, timeout: context.timeout, access: access)
    }
}
