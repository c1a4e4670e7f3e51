internal import AppStoreModel
internal import Kafka
internal import NotificationRecord

/// Prints records until there are enough, or nobody reads.
actor TapPrinter {
    private let console: Console
    private let output: OutputFormat
    private let names: TopicNames
    private var left: Int

    init(_ console: Console, output: OutputFormat, names: TopicNames, count: Int?) {
        self.console = console
        self.output = output
        self.names = names
        left = count ?? .max
    }

    /// - Returns: whether to go on.
    func take(_ records: [KafkaRecord]) async -> Bool {
        // Counted before the wait: the other partitions' records come in while this one writes.
        let wanted = records.prefix(left)
        left -= wanted.count
        guard !wanted.isEmpty else { return left > 0 }
        var bytes: [UInt8] = []
        for record in wanted {
            let tapped = TappedRecord(record, names: names)
            switch output {
            case .text: bytes += tapped.text.utf8
            case .json: bytes += JSONValue.object(tapped.json).json + [UInt8(ascii: "\n")]
            }
        }
        let isRead = await console.write(bytes)
        return isRead && left > 0
    }
}
