internal import CRdKafka
internal import Dispatch
public import Kafka
internal import Primitives
internal import Synchronization

/// An embedded broker on 127.0.0.1: librdkafka's mock cluster, which implements Kafka's protocol in memory.
///
/// Use it for demonstrations, development and tests. It stores 5 MiB per partition, does not compact, and supports no
/// admin requests, ACLs or TLS. Its idempotence does not remove duplicates, and two members of the same group that use
/// different assignors crash the process. Clients must use the `embedded` profile.
public final class DevBroker: Sendable {
    /// The ports on which the brokers listen.
    public enum Ports: Sendable {
        /// Free ports chosen by the system.
        case free
        /// Ports `first`, `first` + 1 and so on, one per broker. librdkafka has no setting for ports, so the executable
        /// must interpose `bind` (target CFixedPort) and pass the function that sets the next port.
        case fixed(first: UInt16, setNext: @Sendable (UInt16) -> Void)
    }

    /// The address to listen on and to advertise instead of 127.0.0.1. The executable must interpose `bind`, as for
    /// ports.
    public struct Address: Sendable {
        let text: String
        let setChosen: @Sendable (Bool) -> Void

        /// - Parameters:
        ///   - text: an IPv4 address of this machine, in dotted-decimal form.
        ///   - setChosen: called with true before the brokers bind, and with false afterwards.
        public init(_ text: String, setChosen: @escaping @Sendable (Bool) -> Void) {
            self.text = text
            self.setChosen = setChosen
        }
    }

    /// The addresses of all brokers, as comma-separated `host:port` pairs. The host is 127.0.0.1 or the chosen address.
    public let bootstrapServers: String
    /// The number of brokers. Their ids start at 1.
    public let brokerCount: Int

    private struct State {
        /// Destroyed by `stop` or `deinit`, before its host client.
        var cluster: MockClusterPointer?
        var host: KafkaHandle?
    }

    private let state: Mutex<State>

    /// Starts the brokers and creates the topics.
    ///
    /// - Throws: `portInUse`; `invalidArgument` for an invalid number of brokers, ports or partitions;
    ///   `notOnEmbeddedBroker` if the address does not belong to this machine.
    public init(
        topics: [KafkaTopic: Int] = [:], brokers: Int = 1, ports: Ports = .free, address: Address? = nil,
        onEvent: @escaping @Sendable (KafkaClientEvent) -> Void = { _ in }
    ) throws(KafkaError) {
        guard (1...16).contains(brokers) else {
            throw KafkaError(.invalidArgument, "\(brokers) brokers requested; 1 to 16 are supported")
        }
        let host = try KafkaHandle(
            .producer,
            settings: [
                // Prevents occasional 40 ms stalls on busy connections (Nagle's algorithm and delayed ACKs).
                ClientProperty("socket.nagle.disable", "true"), ClientProperty("log_level", "3"),
                ClientProperty("log.queue", "true"),
            ], home: DispatchQueue(label: "kafka.dev-broker"))
        host.start(KafkaHandle.Handlers(clientEvent: onEvent))
        address?.setChosen(true)
        defer { address?.setChosen(false) }
        let cluster = try Self.makeCluster(host: host, brokers: brokers, ports: ports)
        bootstrapServers = String(cString: rd_kafka_mock_cluster_bootstraps(cluster.raw))
        brokerCount = brokers
        state = Mutex(State(cluster: cluster, host: host))
        let obtained = bootstrapServers.split(separator: ",").map(String.init)
        if let address, !obtained.allSatisfy({ $0.hasPrefix(address.text + ":") }) {
            throw KafkaError(.notOnEmbeddedBroker, "\(address.text) is not an address of this machine")
        }
        if case .fixed(let first, _) = ports {
            let wanted = (0..<brokers).map { "\(address?.text ?? "127.0.0.1"):\(Int(first) + $0)" }
            let taken = wanted.filter { !obtained.contains($0) }
            guard taken.isEmpty else {
                throw KafkaError(.portInUse, "already in use, or not permitted: \(taken.joined(separator: ", "))")
            }
        }
        for (topic, partitions) in topics.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try createTopic(topic, partitions: partitions)
        }
    }

    private static func makeCluster(
        host: KafkaHandle, brokers: Int, ports: Ports
    ) throws(KafkaError) -> MockClusterPointer {
        var setNext: (@Sendable (UInt16) -> Void)?
        if case .fixed(let first, let function) = ports {
            guard first > 0, Int(first) + brokers - 1 <= Int(UInt16.max) else {
                throw KafkaError(
                    .invalidArgument, "the ports of \(brokers) brokers, starting at \(first), must be from 1 to 65535")
            }
            setNext = function
            function(first)
        }
        let raw = rd_kafka_mock_cluster_new(host.client.raw, Int32(brokers))
        setNext?(0)
        guard let raw else { throw KafkaError(.invalidArgument, "failed to create the mock cluster") }
        return MockClusterPointer(raw: raw)
    }

    deinit { _ = takeDown() }

    /// Stops all brokers and discards their data. This usually takes at most a second, and never more than five.
    public func stop() async {
        _ = await takeDown()?.wait(within: .seconds(5))
    }

    /// Destroys the cluster and its host client on a separate queue. This takes up to a second. The block holds the
    /// last references, so they are released on that queue even if the caller is still waiting.
    private func takeDown() -> Completion? {
        let left = state.withLock { state in
            defer { state = State() }
            return state
        }
        DispatchQueue(label: "kafka.dev-broker.stop").async {
            // The cluster must be destroyed before its host client.
            if let cluster = left.cluster { rd_kafka_mock_cluster_destroy(cluster.raw) }
        }
        return left.host?.released
    }

    /// Creates a topic. Clients cannot create topics.
    ///
    /// - Throws: `topicAlreadyExists`, `invalidArgument`, or `closed`.
    public func createTopic(_ topic: KafkaTopic, partitions: Int) throws(KafkaError) {
        guard (1...1000).contains(partitions), !topic.rawValue.isEmpty, topic.rawValue.utf8.count <= 249 else {
            throw KafkaError(
                .invalidArgument,
                """
                cannot create topic "\(topic)" with \(partitions) partitions; use 1 to 1000 partitions, and a name of \
                1 to 249 bytes
                """)
        }
        try call("create topic \(topic)") { cluster in
            rd_kafka_mock_topic_create(cluster, topic.rawValue, Int32(partitions), Int32(min(3, brokerCount)))
        }
    }

    func call(_ attempt: String, _ body: (OpaquePointer) -> rd_kafka_resp_err_t) throws(KafkaError) {
        let code: rd_kafka_resp_err_t? = state.withLock { state in
            guard let cluster = state.cluster else { return nil }
            return body(cluster.raw)
        }
        guard let code else { throw KafkaError(.closed, "\(attempt): the embedded broker is stopped") }
        if code != RD_KAFKA_RESP_ERR_NO_ERROR {
            throw KafkaError(.init(rawValue: code.rawValue), "\(attempt): \(String(cString: rd_kafka_err2str(code)))")
        }
    }
}

/// `rd_kafka_mock_cluster_t`: librdkafka's mock cluster.
private struct MockClusterPointer: @unchecked Sendable {
    // @unchecked Sendable because librdkafka runs each call on the mock cluster's own thread.
    let raw: OpaquePointer
}
