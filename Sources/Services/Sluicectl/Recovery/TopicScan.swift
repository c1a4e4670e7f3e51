internal import CommandLine
internal import Kafka
internal import Lifecycle
internal import ServiceKit
internal import Synchronization

/// Reads a topic record by record, one partition after the other, up to the offsets at which the partitions end when
/// the scan starts. In this order, a single position is enough to resume an interrupted run.
struct TopicScan {
    let kafka: KafkaConfiguration
    let topic: KafkaTopic
    let watermarks: [KafkaTopicPartition: KafkaWatermarks]
    /// The offset at which to start in each partition; empty to start at the beginning.
    private let starts: [KafkaTopicPartition: KafkaOffset]

    /// - Parameter since: the earliest timestamp of records to read, in milliseconds since 1970; nil reads all. Ignored
    ///   on the embedded broker, which cannot look up offsets by time.
    /// - Throws: a ``StartupError`` if the topic does not exist.
    init(
        _ topic: KafkaTopic, of admin: KafkaAdmin, with kafka: KafkaConfiguration, since: Int64? = nil
    ) async throws {
        let watermarks = try await Self.watermarks(of: topic, admin)
        self.kafka = kafka
        self.topic = topic
        self.watermarks = watermarks
        if let since, try await !admin.isEmbeddedBroker() {
            starts = try await admin.offsets(in: topic, at: since)
        } else {
            starts = [:]
        }
    }

    /// Returns the number of offsets to read after `position`.
    func count(after position: RecordPosition?) -> Int64 {
        watermarks.keys.reduce(0) { $0 + Int64(range(of: $1, after: position)?.count ?? 0) }
    }

    private static func watermarks(
        of topic: KafkaTopic, _ admin: KafkaAdmin
    ) async throws -> [KafkaTopicPartition: KafkaWatermarks] {
        do {
            return try await admin.watermarks(of: topic)
        } catch {
            if error.code == .topicAuthorizationFailed { throw StartupError(missing: topic, denied: [topic]) }
            guard error.code == .unknownTopic else { throw error }
            throw StartupError(
                "topic \(PlainText.printable(topic.rawValue)) does not exist",
                fix: "Use an existing topic, or create the topics with: sluicectl topics apply")
        }
    }

    /// Reads every record after `position`.
    ///
    /// - Parameter take: handles a record; returns false to stop.
    func run(after position: RecordPosition? = nil, take: (KafkaRecord) async throws -> Bool) async throws {
        for place in watermarks.keys.sorted(by: { $0.partition.rawValue < $1.partition.rawValue }) {
            guard let range = range(of: place, after: position) else { continue }
            do {
                try await read(place, range, take)
            } catch is Enough {
                return
            }
        }
    }

    private func read(
        _ place: KafkaTopicPartition, _ range: Range<Int64>, _ take: (KafkaRecord) async throws -> Bool
    ) async throws {
        let start = KafkaOffset(rawValue: range.lowerBound)
        var options = KafkaConsumer.Options()
        options.stopsIfDenied = true
        try await KafkaConsumer.readToEnd(
            kafka, from: [place: start], within: .seconds(86_400), options: options
        ) { records in
            for record in records where range.contains(record.offset.rawValue) {
                let wantsMore = try await take(record)
                if !wantsMore { throw Enough() }
            }
        }
    }

    /// Returns the offsets to read in a partition, or nil if there are none.
    private func range(of place: KafkaTopicPartition, after position: RecordPosition?) -> Range<Int64>? {
        guard let marks = watermarks[place] else { return nil }
        var start = max(marks.low.rawValue, starts[place]?.rawValue ?? 0)
        if let position {
            if place.partition.rawValue < position.partition.rawValue { return nil }
            if place.partition == position.partition { start = max(start, position.offset.rawValue + 1) }
        }
        return start < marks.high.rawValue ? start..<marks.high.rawValue : nil
    }

    /// Returns the record at a position.
    ///
    /// - Throws: a ``StartupError`` if there is none.
    func record(at position: RecordPosition) async throws -> KafkaRecord {
        let place = KafkaTopicPartition(topic: topic, partition: position.partition)
        var found: KafkaRecord?
        if let marks = watermarks[place], marks.low <= position.offset, position.offset < marks.high {
            let before = RecordPosition(
                partition: position.partition, offset: KafkaOffset(rawValue: position.offset.rawValue - 1))
            try await run(after: before) { record in
                found = record
                return false
            }
        }
        guard let found, RecordPosition(found) == position else {
            throw StartupError(
                "\(topic) has no record at \(position)",
                fix: "Check the positions with the list subcommand; retention may have deleted old records")
        }
        return found
    }

    /// Thrown to stop reading early.
    private struct Enough: Error {}
}

/// Tracks whether the operator has interrupted a command.
final class Interruption: Sendable {
    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    private let flag = Flag()
    private let watch: Task<Void, Never>

    /// - Parameter signals: yields each time the operator interrupts the command.
    init(_ signals: AsyncStream<String>) {
        watch = Task { [flag] in
            for await _ in signals { flag.value.store(true, ordering: .relaxed) }
        }
    }

    deinit { watch.cancel() }

    var isRequested: Bool { flag.value.load(ordering: .relaxed) }
}
