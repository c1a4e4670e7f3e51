package import Kafka
internal import Records

/// Reads partitions up to their end offsets at the start of the command, and tracks the offsets read.
package final class StorySearch {
    private let kafka: KafkaConfiguration
    private let topics: StoryTopics
    /// The maximum number of records to read from a topic.
    private let limit: Int64
    private let report: (String) -> Void
    /// The offsets read from each partition.
    private var read: [KafkaTopicPartition: SearchedOffsets] = [:]
    /// Topics that this user may describe but not read.
    private(set) var unreadable: Set<KafkaTopic> = []

    /// The number of records between two progress lines.
    private static let step: Int64 = 100_000
    /// The number of records per Kafka client. More records are read concurrently by additional clients.
    private static let recordsPerClient: Int64 = 20_000
    private static let maximumClients: Int64 = 4
    /// If there are more records than this, a search that reads the newest records first begins with one sixteenth of
    /// each partition.
    private static let recordsInOnePart: Int64 = 200_000
    private static let newestShare: Int64 = 16

    /// - Parameter report: prints a progress line.
    package init(_ kafka: KafkaConfiguration, _ topics: StoryTopics, limit: Int, report: @escaping (String) -> Void) {
        self.kafka = kafka
        self.topics = topics
        self.limit = Int64(limit)
        self.report = report
    }

    /// Reads all given partitions concurrently, except those that cannot be read, see ``StoryTopics/errors(of:)``.
    /// Topics to which the brokers deny access are omitted and added to ``unreadable``.
    ///
    /// - Parameters:
    ///   - filter: excludes records before they are copied; nil keeps all.
    ///   - newestFirst: whether to read the newest records of each partition before the others. Use this for a search
    ///     that ends with the first match, because most queries are about recent notifications.
    ///   - take: handles a record; returns false to stop. Records are in order only within a partition.
    package func run(
        _ places: [KafkaTopicPartition], filter: KafkaRecordFilter? = nil, newestFirst: Bool = false,
        take: (KafkaRecord) throws -> Bool
    ) async throws {
        let ranges = ranges(places)
        var progress = Progress(total: Self.count(ranges))
        let parts = newestFirst && progress.total > Self.recordsInOnePart ? Self.newestAndOlder(ranges) : [ranges]
        for part in parts {
            guard try await readPermitted(part, filter, &progress, take) else { return }
        }
    }

    /// Reads the topics to which the brokers do not deny access.
    ///
    /// - Returns: false if `take` stopped the search.
    private func readPermitted(
        _ ranges: [KafkaTopicPartition: Range<Int64>], _ filter: KafkaRecordFilter?, _ progress: inout Progress,
        _ take: (KafkaRecord) throws -> Bool
    ) async throws -> Bool {
        var rest = ranges.filter { !unreadable.contains($0.key.topic) }
        do {
            return try await read(&rest, filter, &progress, take)
        } catch let error as KafkaError where error.code == .topicAuthorizationFailed {
            // The denied topic made the read fail for all topics, so read the remaining offsets of each topic
            // separately.
            for topic in Set(rest.keys.map(\.topic)).sorted(by: { $0.rawValue < $1.rawValue }) {
                var ranges = rest.filter { $0.key.topic == topic }
                do {
                    guard try await read(&ranges, filter, &progress, take) else { return false }
                } catch let error as KafkaError where error.code == .topicAuthorizationFailed {
                    unreadable.insert(topic)
                }
            }
            return true
        }
    }

    private struct Progress {
        let total: Int64
        var count: Int64 = 0
    }

    /// - Parameter ranges: the offsets to read. Offsets that were read are removed before the function returns or
    ///   throws.
    /// - Returns: false if `take` stopped the search.
    private func read(
        _ ranges: inout [KafkaTopicPartition: Range<Int64>], _ filter: KafkaRecordFilter?, _ progress: inout Progress,
        _ take: (KafkaRecord) throws -> Bool
    ) async throws -> Bool {
        var reached = ranges.mapValues(\.lowerBound)
        defer {
            ranges = Dictionary(
                uniqueKeysWithValues: ranges.map { place, range in
                    let next = min(reached[place] ?? range.lowerBound, range.upperBound)
                    read[place, default: SearchedOffsets()].insert(range.lowerBound..<next)
                    return (place, next..<range.upperBound)
                })
        }
        let total = Self.count(ranges)
        guard total > 0 else { return true }
        let clients = min(Self.maximumClients, total / Self.recordsPerClient + 1)
        var options = KafkaConsumer.Options()
        options.prefetch = .bulk
        options.prefetch.totalBytes /= Int(clients)
        options.filter = filter
        var isStopped = false
        try await KafkaConsumer.readRanges(kafka, ranges, clients: Int(clients), options: options) { batch in
            let begin = reached[batch.partition] ?? 0
            for record in batch.records where try !take(record) {
                reached[batch.partition] = record.offset.rawValue + 1
                isStopped = true
                return false
            }
            reached[batch.partition] = batch.nextOffset
            advance(&progress, by: batch.nextOffset - begin)
            return true
        }
        return !isStopped
    }

    /// Reports each time another ``step`` records have been read.
    private func advance(_ progress: inout Progress, by count: Int64) {
        let before = progress.count / Self.step
        progress.count += count
        if progress.count / Self.step > before { report("searched \(progress.count) of \(progress.total) records") }
    }

    private static func count(_ ranges: [KafkaTopicPartition: Range<Int64>]) -> Int64 {
        ranges.values.reduce(0) { $0 + Int64($1.count) }
    }

    private static func newestAndOlder(
        _ ranges: [KafkaTopicPartition: Range<Int64>]
    ) -> [[KafkaTopicPartition: Range<Int64>]] {
        let newest = ranges.mapValues { ($0.upperBound - Int64($0.count) / newestShare)..<$0.upperBound }
        let older = ranges.mapValues { $0.lowerBound..<($0.upperBound - Int64($0.count) / newestShare) }
        return [newest, older]
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

    /// Returns whether the limit omits records in these partitions.
    package func isLimited(_ places: [KafkaTopicPartition]) -> Bool {
        ranges(places).contains { place, range in
            topics.watermarks[place].map { $0.low.rawValue < range.lowerBound } ?? false
        }
    }

    /// Returns the partitions and offsets read, by topic.
    ///
    /// - Parameter keys: the story's record keys, which determine the partitions that can contain parts of the story.
    ///   If the set is empty, every partition of the notification topic can.
    package func extents(keys: Set<[UInt8]>) -> [Story.Extent] {
        let states = topics.names.entitlements(topics.environment)
        let keyed = [topics.names.notifications(topics.environment), states]
        return Dictionary(grouping: read.keys, by: \.topic).sorted { $0.key.rawValue < $1.key.rawValue }.map {
            let all = topics.partitions(of: $0.key)
            let places = $0.value.sorted { $0.partition < $1.partition }
            // Without a record key, the search of states covers only the keys that were tried.
            let relevant =
                keys.isEmpty
                ? ($0.key == states ? places : all)
                : keyed.contains($0.key) ? topics.partitions(of: $0.key, keys: keys) : places
            return extent(of: $0.key, places, relevant: Set(relevant), partitionCount: all.count)
        }
    }

    private func extent(
        of topic: KafkaTopic, _ places: [KafkaTopicPartition], relevant: Set<KafkaTopicPartition>, partitionCount: Int
    ) -> Story.Extent {
        let searched = places.map { read[$0] ?? SearchedOffsets() }
        var unread: [String] = []
        for (place, searched) in zip(places, searched) where relevant.contains(place) {
            guard let marks = topics.watermarks[place], marks.low <= marks.high else { continue }
            unread += searched.gaps(in: marks.low.rawValue..<marks.high.rawValue).map {
                "\(place.partition)@\($0.lowerBound)-\($0.upperBound - 1)"
            }
        }
        unread += relevant.subtracting(places).map(\.partition).sorted().map(\.description)
        return Story.Extent(
            topic: topic.rawValue, partitions: places.map(\.partition.rawValue), partitionCount: partitionCount,
            offsets: searched.map(\.text), records: searched.reduce(0) { $0 + $1.count },
            notSearched: unread.isEmpty ? nil : unread.joined(separator: ", "))
    }
}
