/// A span attribute.
package struct SpanAttribute: Sendable, Equatable {
    package enum Value: Sendable, Equatable {
        case text(String)
        case integer(Int64)
        case boolean(Bool)
    }

    package let key: SpanAttributeKey
    package let value: Value

    package init(_ key: SpanAttributeKey, _ text: String) {
        self.key = key
        value = .text(text)
    }

    package init(_ key: SpanAttributeKey, _ number: some BinaryInteger) {
        self.key = key
        value = .integer(Int64(clamping: number))
    }

    package init(_ key: SpanAttributeKey, _ condition: Bool) {
        self.key = key
        value = .boolean(condition)
    }
}

/// Attribute names, which are a public contract. Names that do not begin with `sluice.` follow OpenTelemetry's semantic
/// conventions 1.37 for HTTP and messaging. No attribute contains personal data or notification content.
package struct SpanAttributeKey: RawRepresentable, Sendable, Hashable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let method = SpanAttributeKey(rawValue: "http.request.method")
    package static let route = SpanAttributeKey(rawValue: "http.route")
    package static let status = SpanAttributeKey(rawValue: "http.response.status_code")
    package static let bodySize = SpanAttributeKey(rawValue: "http.request.body.size")
    package static let scheme = SpanAttributeKey(rawValue: "url.scheme")
    package static let serverAddress = SpanAttributeKey(rawValue: "server.address")
    package static let serverPort = SpanAttributeKey(rawValue: "server.port")
    package static let errorType = SpanAttributeKey(rawValue: "error.type")

    package static let messagingSystem = SpanAttributeKey(rawValue: "messaging.system")
    package static let operationName = SpanAttributeKey(rawValue: "messaging.operation.name")
    package static let operationType = SpanAttributeKey(rawValue: "messaging.operation.type")
    package static let destination = SpanAttributeKey(rawValue: "messaging.destination.name")
    package static let partition = SpanAttributeKey(rawValue: "messaging.destination.partition.id")
    package static let offset = SpanAttributeKey(rawValue: "messaging.kafka.offset")
    package static let group = SpanAttributeKey(rawValue: "messaging.consumer.group.name")
    package static let batchSize = SpanAttributeKey(rawValue: "messaging.batch.message_count")

    /// The reason code for a response, as in the metrics.
    package static let reason = SpanAttributeKey(rawValue: "sluice.reason")
    /// The verdict of a verification or a handler.
    package static let verdict = SpanAttributeKey(rawValue: "sluice.verdict")
    /// The App Store Server API operation.
    package static let operation = SpanAttributeKey(rawValue: "sluice.api.operation")
    /// The App Store environment.
    package static let environment = SpanAttributeKey(rawValue: "sluice.environment")
    /// The webhook's id.
    package static let webhookId = SpanAttributeKey(rawValue: "sluice.webhook.id")
}
