package import KafkaModel

/// Attributes for spans about records. Source: OpenTelemetry, "Semantic conventions for Kafka".
extension SpanAttribute {
    /// Returns the attributes for a span that sends a record.
    package static func sending(to topic: KafkaTopic) -> [SpanAttribute] {
        operation("send", on: topic)
    }

    /// Returns the attributes for a span that handles a record.
    ///
    /// - Parameter batch: the number of records that are handled together.
    package static func processing(_ record: KafkaRecord, group: String, batch: Int) -> [SpanAttribute] {
        let own = [
            SpanAttribute(.partition, String(record.partition.rawValue)),
            SpanAttribute(.offset, record.offset.rawValue),
            SpanAttribute(.group, group),
        ]
        return operation("process", on: record.topic) + own + (batch > 1 ? [SpanAttribute(.batchSize, batch)] : [])
    }

    /// Returns the attributes for an acknowledged record's position.
    package static func delivery(_ delivery: KafkaDelivery) -> [SpanAttribute] {
        [SpanAttribute(.messagingSystem, "kafka"), SpanAttribute(.destination, delivery.topic.rawValue)]
            + position(delivery)
    }

    /// Returns the attributes for a position within a topic.
    package static func position(_ delivery: KafkaDelivery) -> [SpanAttribute] {
        [
            SpanAttribute(.partition, String(delivery.partition.rawValue)),
            SpanAttribute(.offset, delivery.offset.rawValue),
        ]
    }

    private static func operation(_ name: String, on topic: KafkaTopic) -> [SpanAttribute] {
        [
            SpanAttribute(.messagingSystem, "kafka"), SpanAttribute(.operationName, name),
            SpanAttribute(.operationType, name), SpanAttribute(.destination, topic.rawValue),
        ]
    }
}
