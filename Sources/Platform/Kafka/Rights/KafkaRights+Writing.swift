internal import CRdKafka
internal import Dispatch
internal import Primitives
internal import Synchronization

extension KafkaRights {
    /// Returns whether the user may write to topics.
    ///
    /// Sends a record that requires two acknowledgements. Apache Kafka supports only 0, 1 and all, so it checks the
    /// permission, refuses the request, and writes nothing. Do not use this with any other service, which might write
    /// the record.
    ///
    /// - Throws: `notOnEmbeddedBroker`, `invalidConfiguration`, and `timedOut` if no broker answers.
    package func writing(to topics: [KafkaTopic], _ admin: KafkaAdmin) async throws(KafkaError) -> [KafkaTopic: Answer]
    {
        try await admin.requireKafka("checking permission to write", within: limit)
        let settings = configuration.settings(
            for: .producer,
            overrides: [
                ClientProperty("enable.idempotence", "false"), ClientProperty("acks", "2"),
                ClientProperty("retries", "0"),
                ClientProperty("delivery.timeout.ms", String(max(1_000, limit.clampedMilliseconds))),
                ClientProperty("request.timeout.ms", String(max(500, limit.clampedMilliseconds / 2))),
            ])
        let handle = try KafkaHandle(
            .producer, settings: settings, tokens: configuration.tokenSource,
            home: DispatchQueue(label: "kafka.rights"))
        let reports = WriteReports(topics)
        handle.start(
            KafkaHandle.Handlers(clientEvent: { _ in }) { event in
                guard event.type == RD_KAFKA_EVENT_DR else { return }
                while let message = rd_kafka_event_message_next(event.raw) { reports.receive(message) }
            })
        return try await admin.run(on: DispatchQueue(label: "kafka.rights.wait")) { [limit] _ throws(KafkaError) in
            for topic in topics { Self.produce(to: topic, handle, reports) }
            return reports.wait(within: limit + .seconds(1))
        }
    }

    private static func produce(to topic: KafkaTopic, _ handle: KafkaHandle, _ reports: WriteReports) {
        guard let pointer = rd_kafka_topic_new(handle.client.raw, topic.rawValue, nil) else {
            return reports.set(.unknown(KafkaError(rd_kafka_last_error(), during: "topic \(topic)").message), topic)
        }
        defer { rd_kafka_topic_destroy(pointer) }
        let code = crdkafka_produce(handle.client.raw, pointer, 0, nil, 0, nil, 0, 0, nil, 0)
        if code != RD_KAFKA_RESP_ERR_NO_ERROR { reports.set(WriteReports.answer(code, topic), topic) }
    }
}

/// Collects one delivery report for each topic.
private final class WriteReports: Sendable {
    private let answers: Mutex<[KafkaTopic: KafkaRights.Answer]>
    private let topics: Set<KafkaTopic>
    private let isComplete = DispatchSemaphore(value: 0)

    init(_ topics: [KafkaTopic]) {
        self.topics = Set(topics)
        answers = Mutex([:])
    }

    func receive(_ message: UnsafePointer<rd_kafka_message_t>) {
        guard let name = message.pointee.rkt.flatMap({ rd_kafka_topic_name($0) }) else { return }
        let topic = KafkaTopic(rawValue: String(cString: name))
        set(Self.answer(message.pointee.err, topic), topic)
    }

    static func answer(_ code: rd_kafka_resp_err_t, _ topic: KafkaTopic) -> KafkaRights.Answer {
        switch code {
        case RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS: .granted
        case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED: .denied
        case RD_KAFKA_RESP_ERR_NO_ERROR: .unknown("the broker is not Apache Kafka: it wrote an empty record")
        default: .unknown(KafkaError(code, during: "write to \(topic)").message)
        }
    }

    func set(_ answer: KafkaRights.Answer, _ topic: KafkaTopic) {
        let isLast = answers.withLock { answers in
            answers[topic] = answer
            return answers.count == topics.count
        }
        if isLast { isComplete.signal() }
    }

    /// Waits for all reports. The answer for a topic without a report is `unknown`.
    func wait(within limit: Duration) -> [KafkaTopic: KafkaRights.Answer] {
        _ = isComplete.wait(timeout: .now() + .nanoseconds(Int(limit.clampedNanoseconds)))
        let received = answers.withLock { $0 }
        return Dictionary(uniqueKeysWithValues: topics.map { ($0, received[$0] ?? .unknown("no response")) })
    }
}
