internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Records

/// `sluicectl replay`: sends records from a notification topic again, for consumers that handled them incorrectly.
struct ReplayCommand {
    let configuration: Configuration
    let interruption: Interruption
    let timeout: Duration

    private var topic: KafkaTopic {
        TopicNames(prefix: configuration[OperationsSettings.topicsPrefix])
            .notifications(configuration[OperationsSettings.environment])
    }

    private var filter: ReplayFilter {
        ReplayFilter(
            from: configuration[ReplaySettings.from]?.millisecondsSince1970,
            to: configuration[ReplaySettings.to]?.millisecondsSince1970, type: configuration[TapSettings.type],
            bundleId: configuration[OperationsSettings.recordApp])
    }

    func run(_ position: String?, _ console: Console) async throws -> ExitCode {
        let position = try position.map { try QuarantineCommand.position($0) }
        return try await Brokers.connected(configuration, timeout) { admin, kafka in
            let scan = try await TopicScan(topic, of: admin, with: kafka, since: filter.from)
            let producer = try KafkaProducer(kafka, topics: [topic])
            let run = ReplayRun(
                configuration: configuration, admin: admin, interruption: interruption, console: console)
            do {
                let exitCode = try await run.run(scan, only: position, through: producer) { item($0) }
                await producer.close(within: .seconds(5))
                return exitCode
            } catch {
                await producer.close(within: .seconds(1))
                throw error
            }
        }
    }

    private func item(_ record: KafkaRecord) -> ReplayItem {
        var item = ReplayItem(
            position: RecordPosition(record), identity: record.text(.id), subject: ReplaySubject(notification: record))
        guard filter.matches(item.subject) else { return item }
        // A replay writes its copies to the same topic. A later run that did not skip them would double their number.
        let isCopy = record.text(.origin) == RecordOrigin.replay.rawValue
        item.prepared =
            isCopy && !configuration[ReplaySettings.againCopies]
            ? .failure(
                ReplayRefusal(reason: "copy", detail: "it is a copy from an earlier replay; --again sends it too"))
            : .success([record.replayed(to: topic)])
        return item
    }
}
