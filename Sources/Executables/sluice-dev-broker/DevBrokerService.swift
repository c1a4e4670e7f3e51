internal import CFixedPort
internal import Configuration
internal import Kafka
internal import KafkaDevBroker
internal import Lifecycle
internal import Synchronization
internal import Telemetry

/// Runs the embedded broker as one of the process's services.
final class DevBrokerService: Service {
    let name = "dev broker"

    private let configuration: Configuration
    private let logger: Logger
    private let broker = Mutex<DevBroker?>(nil)

    init(_ configuration: Configuration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    func start() async throws {
        let port = configuration[DevBrokerCommand.port]
        let topics = DevBrokerTopics.all(
            prefix: configuration[DevBrokerCommand.prefix], partitions: configuration[DevBrokerCommand.partitions],
            groups: configuration[DevBrokerCommand.groups] ?? [],
            others: configuration[DevBrokerCommand.topics] ?? [])
        let ports: DevBroker.Ports =
            UInt16(exactly: port).map { $0 == 0 ? .free : .fixed(first: $0, setNext: { fixed_port_set_next($0) }) }
            ?? .free
        let address = try DevBrokerHost.address(configuration[DevBrokerCommand.host])
        let broker: DevBroker
        do {
            broker = try DevBroker(
                topics: topics, brokers: configuration[DevBrokerCommand.brokers], ports: ports, address: address,
                onEvent: { [logger] event in
                    guard case .log(let line) = event else { return }
                    logger.warning("librdkafka", [LogField(.detail, line.message)])
                })
        } catch  where error.code == .notOnEmbeddedBroker {
            throw StartupError(
                "cannot listen: \(error.message)", setting: DevBrokerCommand.host.key,
                fix: "Set it to an address or a name of this machine")
        } catch {
            throw StartupError(
                "cannot listen: \(error.message)", setting: DevBrokerCommand.port.key,
                fix: "Stop the other process, or set another port; 0 selects free ports")
        }
        self.broker.withLock { $0 = broker }
        logger.warning("not for production: records are kept in memory only")
        logger.info(
            "ready",
            [
                LogField(.bootstrapServers, broker.bootstrapServers), LogField(.topics, topics.count),
                LogField(.partitions, configuration[DevBrokerCommand.partitions]),
            ])
    }

    func stop(within limit: Duration) async {
        let broker = broker.withLock { $0.take() }
        await broker?.stop()
    }
}

extension LogKey {
    fileprivate static let bootstrapServers = LogKey(rawValue: "bootstrapServers")
    fileprivate static let topics = LogKey(rawValue: "topics")
    fileprivate static let partitions = LogKey(rawValue: "partitions")
    fileprivate static let detail = LogKey(rawValue: "detail")
}
