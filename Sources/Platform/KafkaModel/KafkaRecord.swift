/// A record header. Headers are ordered, names may repeat, and values may be null.
public struct KafkaHeader: Sendable {
    /// The value. Text remains a string until it is sent, because most strings are short or share storage and need no
    /// additional memory.
    private enum Content: Sendable {
        case null
        case bytes([UInt8])
        case text(String)
    }

    /// The name.
    public let key: String
    private let content: Content

    /// Creates a header with a binary or null value.
    public init(key: String, value: [UInt8]?) {
        self.key = key
        content = value.map { .bytes($0) } ?? .null
    }

    /// Creates a header with a text value, encoded as UTF-8.
    public init(key: String, text: String) {
        self.key = key
        content = .text(text)
    }

    /// The value, or nil for a null value, which differs from an empty one.
    public var value: [UInt8]? {
        switch content {
        case .null: nil
        case .bytes(let bytes): bytes
        case .text(let text): Array(text.utf8)
        }
    }

    /// The value as text, or nil if it is null or not valid UTF-8.
    public var text: String? {
        switch content {
        case .null: nil
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        case .text(let text): text
        }
    }

    /// The number of bytes in the value; 0 if it is null.
    package var valueByteCount: Int {
        switch content {
        case .null: 0
        case .bytes(let bytes): bytes.count
        case .text(let text): text.utf8.count
        }
    }

    /// Calls `body` with the bytes of the value, if possible without copying them, or with nil for a null value.
    package func withValue<Result>(_ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        switch content {
        case .null: return body(nil)
        case .bytes(let bytes): return bytes.withUnsafeBytes { body($0) }
        case .text(var text): return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        }
    }
}

/// Two headers are equal if their names and bytes are equal, even if one was created from text.
extension KafkaHeader: Hashable {
    public static func == (lhs: KafkaHeader, rhs: KafkaHeader) -> Bool { lhs.key == rhs.key && lhs.value == rhs.value }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(value)
    }
}

/// A record read from a partition. It owns its bytes.
public struct KafkaRecord: Sendable {
    private enum Headers: Sendable {
        case list([KafkaHeader])
        case packed(PackedHeaders)
    }

    /// The record's topic.
    public let topic: KafkaTopic
    /// The record's partition.
    public let partition: KafkaPartition
    /// The record's position in the partition.
    public let offset: KafkaOffset
    /// The timestamp in milliseconds since 1970, set by the producer or the broker, or nil if the record has none.
    public let timestampMilliseconds: Int64?
    /// The key, or nil for a null key, which differs from an empty one.
    public let key: [UInt8]?
    /// The value, or nil for a tombstone, which differs from an empty value.
    public let value: [UInt8]?
    private let storedHeaders: Headers

    /// Creates a record with these properties.
    public init(
        topic: KafkaTopic, partition: KafkaPartition, offset: KafkaOffset, timestampMilliseconds: Int64? = nil,
        key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader] = []
    ) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self.timestampMilliseconds = timestampMilliseconds
        self.key = key
        self.value = value
        storedHeaders = .list(headers)
    }

    /// Creates a record with packed headers.
    package init(
        topic: KafkaTopic, partition: KafkaPartition, offset: KafkaOffset, timestampMilliseconds: Int64?,
        key: [UInt8]?, value: [UInt8]?, packedHeaders: PackedHeaders
    ) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self.timestampMilliseconds = timestampMilliseconds
        self.key = key
        self.value = value
        storedHeaders = .packed(packedHeaders)
    }

    /// The headers in log order. Each access creates the list, so use ``header(_:)`` for a single header.
    public var headers: [KafkaHeader] {
        switch storedHeaders {
        case .list(let headers): headers
        case .packed(let headers): headers.list
        }
    }

    /// The headers in one block of memory.
    var packedHeaders: PackedHeaders {
        switch storedHeaders {
        case .packed(let headers): return headers
        case .list(let list):
            var headers = PackedHeaders(expecting: list.count)
            for header in list {
                var name = header.key
                name.withUTF8 { name in
                    header.withValue { headers.append(name: UnsafeRawBufferPointer(name), value: $0) }
                }
            }
            return headers
        }
    }

    /// The record's topic and partition.
    public var topicPartition: KafkaTopicPartition { KafkaTopicPartition(topic: topic, partition: partition) }

    /// Returns the last header with this name, which is the one that applies if the name repeats, or nil if there is
    /// none.
    public func header(_ key: String) -> KafkaHeader? {
        withHeaderValue(key) { value in KafkaHeader(key: key, value: value.map { Array($0) }) }
    }

    /// Calls `body` with the value of the last header with this name. A null value is passed as nil.
    ///
    /// - Returns: the result of `body`, or nil if there is no such header.
    package func withHeaderValue<Result>(_ key: String, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result? {
        switch storedHeaders {
        case .list(let headers): headers.last { $0.key == key }.map { $0.withValue(body) }
        case .packed(let headers): headers.withValue(of: key, body)
        }
    }

    /// The total number of bytes in the key, the value and the headers.
    package var payloadBytes: Int {
        let bytes = (key?.count ?? 0) + (value?.count ?? 0)
        switch storedHeaders {
        case .list(let headers): return headers.reduce(bytes) { $0 + $1.key.utf8.count + $1.valueByteCount }
        case .packed(let headers): return bytes + headers.payloadBytes
        }
    }
}

/// Two records are equal if all their properties are equal. Packed headers can equal headers in a list.
extension KafkaRecord: Hashable {
    public static func == (lhs: KafkaRecord, rhs: KafkaRecord) -> Bool {
        lhs.offset == rhs.offset && lhs.topicPartition == rhs.topicPartition
            && lhs.timestampMilliseconds == rhs.timestampMilliseconds && lhs.key == rhs.key && lhs.value == rhs.value
            && lhs.headers == rhs.headers
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(topicPartition)
        hasher.combine(offset)
        hasher.combine(timestampMilliseconds)
        hasher.combine(key)
        hasher.combine(value)
        hasher.combine(headers)
    }
}

/// A record to send.
public struct KafkaProducerRecord: Hashable, Sendable {
    /// The topic. The producer must have been created with it.
    public var topic: KafkaTopic
    /// The partition. If nil, it is derived from the key (with murmur2, as in Java clients), or chosen at random for a
    /// null key.
    public var partition: KafkaPartition?
    /// The timestamp in milliseconds since 1970; nil means the time of the send.
    public var timestampMilliseconds: Int64?
    /// The key; nil means a null key.
    public var key: [UInt8]?
    /// The value; nil means a tombstone.
    public var value: [UInt8]?
    /// The headers in order.
    public var headers: [KafkaHeader]

    /// Creates a record with these properties.
    public init(
        topic: KafkaTopic, partition: KafkaPartition? = nil, timestampMilliseconds: Int64? = nil,
        key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader] = []
    ) {
        self.topic = topic
        self.partition = partition
        self.timestampMilliseconds = timestampMilliseconds
        self.key = key
        self.value = value
        self.headers = headers
    }

    /// The size in bytes that counts toward limits: key, value, headers, and a small overhead.
    package var size: Int {
        var size = 64 + (key?.count ?? 0) + (value?.count ?? 0)
        for header in headers { size += 8 + header.key.utf8.count + header.valueByteCount }
        return size
    }
}

/// The position of an acknowledged record.
public struct KafkaDelivery: Hashable, Sendable {
    /// The record's topic.
    public let topic: KafkaTopic
    /// The record's partition.
    public let partition: KafkaPartition
    /// The record's position in the partition.
    public let offset: KafkaOffset

    /// Creates a delivery at this position.
    public init(topic: KafkaTopic, partition: KafkaPartition, offset: KafkaOffset) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
    }
}
