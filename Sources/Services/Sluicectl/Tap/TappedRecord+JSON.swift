internal import AppStoreModel
internal import Cryptography
internal import JSON
internal import Kafka
internal import Primitives
internal import Records

extension TappedRecord {
    /// The record as one object. Bytes that are not text become `{"base64":"…"}`. If several headers have the same
    /// name, the last one takes precedence.
    var json: JSONObject {
        var headers = JSONObject()
        for header in record.headers { headers[header.key] = Self.text(header.value) }
        var object: JSONObject = [
            OutputName.topic: .string(record.topic.rawValue),
            OutputName.partition: .integer(Int64(record.partition.rawValue)),
            OutputName.offset: .integer(record.offset.rawValue),
            OutputName.timestamp: record.timestampMilliseconds.map { .integer($0) } ?? .null,
            OutputName.kind: .string(content.kind),
            OutputName.key: Self.text(record.key),
            OutputName.headers: .object(headers),
        ]
        switch content {
        case .notification(let notification): object[OutputName.value] = JSONValue(notification.value)
        case .json(let value): object[OutputName.value] = JSONValue(value)
        case .tombstone: object[OutputName.value] = .null
        case .quarantine: object[OutputName.value] = Self.text(record.value)
        case .undecodable(let reason):
            object[OutputName.value] = Self.text(record.value)
            object[OutputName.error] = .string(reason)
        }
        return object
    }

    private static func text(_ bytes: [UInt8]?) -> JSONValue {
        guard let bytes else { return .null }
        if let text = String(validating: bytes, as: UTF8.self) { return .string(text) }
        return .object([OutputName.base64: .string(String(decoding: Base64.encode(bytes), as: UTF8.self))])
    }
}
