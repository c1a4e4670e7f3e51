internal import AppStoreModel
internal import CommandLine
internal import JSON
internal import Kafka
internal import Records

/// Prints records until the count is reached or the output is closed.
actor TapPrinter {
    private let console: Console
    private let output: OutputFormat
    private let names: TopicNames
    private var left: Int
    private var columns = TapColumns()

    init(_ console: Console, output: OutputFormat, names: TopicNames, count: Int?) {
        self.console = console
        self.output = output
        self.names = names
        left = count ?? .max
    }

    /// - Returns: whether to continue.
    func take(_ records: [KafkaRecord]) async -> Bool {
        // Decrement before the suspension, because records from other partitions may arrive while these are being
        // written.
        let wanted = records.prefix(left)
        left -= wanted.count
        guard !wanted.isEmpty else { return left > 0 }
        var bytes: [UInt8] = []
        let tapped = wanted.map { TappedRecord($0, names: names) }
        switch output {
        case .text: bytes += columns.lines(tapped.map(\.cells)).utf8
        case .json: for record in tapped { bytes += JSONValue.object(record.json).json + [UInt8(ascii: "\n")] }
        }
        let isRead = await console.write(bytes)
        return isRead && left > 0
    }
}
