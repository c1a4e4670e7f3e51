internal import CRdKafka

extension KafkaClientEvent {
    /// Reads a log line, an error or statistics from an event. Returns nil for any other event and for unreadable
    /// statistics. The caller still owns the event.
    init?(reading event: EventPointer, of client: ClientPointer) {
        switch event.type {
        case RD_KAFKA_EVENT_LOG:
            var facility: UnsafePointer<CChar>?
            var text: UnsafePointer<CChar>?
            var level: Int32 = 0
            guard rd_kafka_event_log(event.raw, &facility, &text, &level) == 0, let facility, let text else {
                return nil
            }
            self = .log(
                KafkaLogLine(
                    level: Int(level), facility: String(cString: facility), message: String(cString: text)))
        case RD_KAFKA_EVENT_ERROR:
            self = Self.error(reading: event, of: client)
        case RD_KAFKA_EVENT_STATS:
            guard let text = rd_kafka_event_stats(event.raw),
                let statistics = KafkaStatistics(json: String(cString: text))
            else { return nil }
            self = .statistics(statistics)
        default:
            return nil
        }
    }

    private static func error(reading event: EventPointer, of client: ClientPointer) -> KafkaClientEvent {
        let code = KafkaError.Code(rawValue: rd_kafka_event_error(event.raw).rawValue)
        let text = rd_kafka_event_error_string(event.raw).map { String(cString: $0) } ?? code.name
        if rd_kafka_event_error_is_fatal(event.raw) != 0 || code == .fatal {
            return .error(.fatal(of: client) ?? KafkaError(code, text, isFatal: true), place: nil)
        }
        var place: KafkaDelivery?
        if let partition = rd_kafka_event_topic_partition(event.raw) {
            place = KafkaDelivery(
                topic: KafkaTopic(rawValue: String(cString: partition.pointee.topic)),
                partition: KafkaPartition(rawValue: partition.pointee.partition),
                offset: KafkaOffset(rawValue: partition.pointee.offset))
            rd_kafka_topic_partition_destroy(partition)
        }
        return .error(KafkaError(code, text), place: place)
    }
}

extension KafkaError {
    /// Returns a client's fatal error, or nil if there is none (`rd_kafka_fatal_error`).
    static func fatal(of client: ClientPointer) -> KafkaError? {
        var text = [CChar](repeating: 0, count: 512)
        let code = rd_kafka_fatal_error(client.raw, &text, text.count)
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return nil }
        return KafkaError(Code(rawValue: code.rawValue), String(terminated: text), isRetriable: false, isFatal: true)
    }
}
