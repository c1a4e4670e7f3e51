internal import Kafka
internal import KafkaDevBroker
internal import PipelineRuntime
internal import Synchronization
internal import Telemetry

/// An embedded broker with one scenario's topics. The runtime connects one member at a time to it.
final class ContractRun: Sendable {
    /// The time limit for a join. Joining a group on the embedded broker takes 3 s, or more on a busy machine.
    private static let joining: Duration = .seconds(20)

    private struct State {
        var good: Set<RecordPosition> = []
        var all: Set<RecordPosition> = []
        /// The number of the current group. Each group starts without commits.
        var group = 0
    }

    private let broker: DevBroker
    private let kafka: KafkaConfiguration
    private let topics: [KafkaTopic]
    private let good: Set<KafkaProducerRecord>
    private let watch = HandlerWatch()
    private let state = Mutex(State())

    /// - Parameter good: records that the handler must not dead-letter.
    init(_ good: [KafkaProducerRecord]) throws {
        self.good = Set(good)
        topics = Set(good.map(\.topic)).sorted { $0.rawValue < $1.rawValue }
        let partitions = Int(good.compactMap { $0.partition?.rawValue }.max() ?? 0) + 1
        broker = try DevBroker(topics: Dictionary(uniqueKeysWithValues: topics.map { ($0, partitions) }))
        kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
    }

    func end() async { await broker.stop() }

    /// Writes records in order, waiting for each acknowledgement before the next record. Records without a partition go
    /// to the first one.
    func write(_ records: [KafkaProducerRecord]) async throws {
        let producer = try KafkaProducer(kafka, topics: topics)
        for record in records {
            var sent = record
            sent.partition = record.partition ?? 0
            let delivery = try await producer.send(sent, deadline: .seconds(20))
            let position = RecordPosition(
                topic: delivery.topic, partition: delivery.partition, offset: delivery.offset)
            state.withLock { state in
                state.all.insert(position)
                if good.contains(record) { state.good.insert(position) }
            }
        }
        await producer.close(within: .seconds(5))
    }

    /// Runs the handler until every written record has been handled.
    ///
    /// - Parameters:
    ///   - asNewGroup: whether to start from the beginning, as a group without commits does.
    ///   - failing: whether every record fails twice, once before and once after its effect.
    ///   - meanwhile: runs concurrently; returns the problems it finds.
    /// - Returns: all problems found.
    func consume(
        _ handler: PipelineHandler, asNewGroup: Bool = false, failing: Bool = false, within limit: Duration,
        meanwhile: (HandlerWatch) async throws -> [String] = { _ in [] }
    ) async throws -> [String] {
        if asNewGroup {
            state.withLock { $0.group += 1 }
            watch.forget()
        }
        let member = try await join(watch.watching(handler, failing ? .failing : .passing))
        var problems: [String]
        do {
            problems = try await meanwhile(watch)
        } catch {
            await member.stop(within: .seconds(10))
            throw error
        }
        let all = state.withLock { $0.all }
        _ = await Self.wait(within: Self.joining + limit) { watch.finished.isSuperset(of: all) }
        await member.stop(within: .seconds(10))
        problems += deadLettered
        let missing = all.subtracting(watch.finished).sorted()
        if let first = missing.first {
            problems.append(
                "\(missing.count) of \(all.count) records did not finish within \(limit); the first is \(first)"
                    + (watch.lastError.map { "; the handler's last error: \($0)" } ?? ""))
        }
        return problems
    }

    /// Runs the handler until its partition is lost during a call, which cancels the call.
    ///
    /// - Parameters:
    ///   - first: records handled before the loss.
    ///   - rest: records written after `first`; the first call for them is interrupted.
    /// - Returns: all problems found.
    func lose(
        _ handler: PipelineHandler, after first: [KafkaProducerRecord], in rest: [KafkaProducerRecord],
        within limit: Duration
    ) async throws -> [String] {
        try await write(first)
        let all = state.withLock { $0.all }
        let member = try await join(watch.watching(handler, .stalling))
        let isDone = await Self.wait(within: Self.joining + limit) { watch.finished.isSuperset(of: all) }
        watch.stall()
        try await write(rest)
        let isInside = await Self.wait(within: Self.joining + limit) { watch.isStalled }
        await member.stop(within: .seconds(5))
        guard isDone, isInside else {
            return ["the handler did not finish \(first.count) records and start the next within \(limit)"]
        }
        guard await Self.wait(within: limit, { watch.callsUnderWay == 0 }) else {
            return ["a cancelled call continued for more than \(limit)"]
        }
        return deadLettered
    }

    /// Waits for a condition, polling it every few milliseconds.
    static func wait(within limit: Duration, _ condition: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + limit
        while !condition() {
            guard ContinuousClock.now < end, !Task.isCancelled else { return false }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    private func join(_ handler: PipelineHandler) async throws -> PipelineConsumer {
        let number = state.withLock { $0.group }
        var options = PipelineOptions(group: KafkaConsumerGroup(rawValue: "contract-\(number)"), topics: topics)
        options.firstBackoff = .milliseconds(2)
        options.maximumBackoff = .milliseconds(50)
        options.maximumAttempts = 3
        options.drainLimit = .seconds(1)
        options.flushInterval = .milliseconds(50)
        let watch = watch
        let member = PipelineConsumer(
            kafka: kafka, options: options, handler: handler,
            sendDeadLetter: { watch.deadLettered($0) },
            logger: Logger(label: "contract", level: .error, format: .json, sink: MemoryLogSink()),
            metrics: MetricsRegistry())
        try await member.start()
        return member
    }

    private var deadLettered: [String] {
        let good = state.withLock { $0.good }
        return watch.deadLetters.filter { good.contains($0.key) }.sorted { $0.key < $1.key }
            .map { "a valid record, \($0.key), was dead-lettered: \($0.value)" }
    }
}
