package import Kafka

/// Reads partitions up to the end offsets at the start of the command, and keeps track of the offsets read.
package final class StorySearch {
    private let kafka: KafkaConfiguration
    private let topics: StoryTopics
    /// Maximum number of records to read from a topic.
    private let limit: Int64
    private let report: (String) -> Void
    /// The range of offsets read from each partition.
    private var read: [KafkaTopicPartition: Range<Int64>] = [:]

    /// Number of records between two progress lines.
    private static let step: Int64 = 100_000
    /// Number of records at which a partition gets its own consumer.
    private static let largePartition = 20_000

    /// - Parameter report: prints a progress line.
    package init(_ kafka: KafkaConfiguration, _ topics: StoryTopics, limit: Int, report: @escaping (String) -> Void) {
        self.kafka = kafka
        self.topics = topics
        self.limit = Int64(limit)
        self.report = report
    }

    /// Reads all given partitions.
    ///
    /// - Parameter take: handles a record; returns false to stop.
    package func run(_ places: [KafkaTopicPartition], take: (KafkaRecord) throws -> Bool) async throws {
        let ranges = ranges(places)
        let total = ranges.values.reduce(0) { $0 + Int64($1.count) }
        var count: Int64 = 0
        var reached: [KafkaTopicPartition: Int64] = [:]
        defer { for (place, range) in ranges { note(place, range.lowerBound..<(reached[place] ?? range.lowerBound)) } }
        guard total > 0 else { return }
        do {
            for group in Self.groups(ranges) {
                try await read(group) { record in
                    let place = record.topicPartition
                    guard ranges[place]?.contains(record.offset.rawValue) ?? false else { return }
                    reached[place] = record.offset.rawValue + 1
                    count += 1
                    if count % Self.step == 0 { report("searched \(count) of \(total) records") }
                    guard try take(record) else { throw Enough() }
                }
                // Compaction and transaction markers leave offsets without records.
                for place in group.keys { reached[place] = ranges[place]?.upperBound }
            }
        } catch is Enough {}
    }

    private func read(
        _ offsets: [KafkaTopicPartition: KafkaOffset], _ take: (KafkaRecord) throws -> Void
    ) async throws {
        var options = KafkaConsumer.Options()
        options.prefetch = .bulk
        try await KafkaConsumer.readToEnd(kafka, from: offsets, within: .seconds(86_400), options: options) { records in
            for record in records { try take(record) }
        }
    }

    /// Returns the start offsets for each consumer. A large partition has its own consumer, because it fills the
    /// consumer's queue.
    private static func groups(
        _ ranges: [KafkaTopicPartition: Range<Int64>]
    ) -> [[KafkaTopicPartition: KafkaOffset]] {
        let offsets = ranges.filter { !$0.value.isEmpty }.mapValues { KafkaOffset(rawValue: $0.lowerBound) }
        let large = offsets.filter { ranges[$0.key].map { $0.count > largePartition } ?? false }
        let small = offsets.filter { large[$0.key] == nil }
        let ordered = large.sorted {
            ($0.key.topic.rawValue, $0.key.partition) < ($1.key.topic.rawValue, $1.key.partition)
        }
        return ordered.map { [$0.key: $0.value] } + (small.isEmpty ? [] : [small])
    }

    /// Returns the offset range of each partition's newest records, within the limit per topic.
    private func ranges(_ places: [KafkaTopicPartition]) -> [KafkaTopicPartition: Range<Int64>] {
        var ranges: [KafkaTopicPartition: Range<Int64>] = [:]
        for (_, places) in Dictionary(grouping: places, by: \.topic) {
            let share = max(1, limit / Int64(places.count))
            for place in places {
                guard let marks = topics.watermarks[place] else { continue }
                let high = marks.high.rawValue
                let low = max(marks.low.rawValue, high - share)
                ranges[place] = min(low, high)..<high
            }
        }
        return ranges
    }

    private func note(_ place: KafkaTopicPartition, _ range: Range<Int64>) {
        guard let known = read[place], !known.isEmpty else {
            read[place] = range
            return
        }
        guard !range.isEmpty else { return }
        read[place] = min(known.lowerBound, range.lowerBound)..<max(known.upperBound, range.upperBound)
    }

    /// Returns the partitions and offsets that were read, by topic.
    ///
    /// - Parameter isKeyed: whether the record keys are known, so that unread partitions contain no part of the story.
    package func extents(isKeyed: Bool) -> [Story.Extent] {
        Dictionary(grouping: read.keys, by: \.topic).sorted { $0.key.rawValue < $1.key.rawValue }.map {
            extent(of: $0.key, $0.value.sorted { $0.partition < $1.partition }, isKeyed: isKeyed)
        }
    }

    private func extent(of topic: KafkaTopic, _ places: [KafkaTopicPartition], isKeyed: Bool) -> Story.Extent {
        var records: Int64 = 0
        var offsets: [String] = []
        var unread: [String] = []
        for place in places {
            let range = read[place] ?? 0..<0
            let marks = topics.watermarks[place]
            records += Int64(range.count)
            offsets.append(range.isEmpty ? "none" : "\(range.lowerBound)-\(range.upperBound - 1)")
            if let low = marks?.low.rawValue, let high = marks?.high.rawValue {
                if low < range.lowerBound { unread.append("\(place.partition)@\(low)-\(range.lowerBound - 1)") }
                if range.upperBound < high { unread.append("\(place.partition)@\(range.upperBound)-\(high - 1)") }
            }
        }
        let all = topics.partitions(of: topic)
        if !isKeyed, places.count < all.count {
            unread += all.filter { !places.contains($0) }.map { "\($0.partition)" }
        }
        return Story.Extent(
            topic: topic.rawValue, partitions: places.map(\.partition.rawValue), partitionCount: all.count,
            offsets: offsets, records: records, notSearched: unread.isEmpty ? nil : unread.joined(separator: ", "))
    }

    /// Thrown to stop reading early.
    private struct Enough: Error {}
}
