internal import AppStoreModel
internal import Configuration
internal import Kafka
internal import Primitives
internal import Records

/// Selects records by type, app, header, content and time. A record must satisfy all conditions.
struct TapFilter: Sendable {
    /// The value of the header `ce_type` without its namespace, or the type that a quarantined notification claims. A
    /// type selects all of its subtypes.
    var type: String?
    var bundleId: String?
    var header: (name: String, value: String)?
    /// Text in the key or the value, such as an identifier, or in a payload of a quarantined notification.
    var text: ByteSearch?
    /// The earliest timestamp, in milliseconds since 1970.
    var since: Int64?

    init() {}

    init(_ configuration: Configuration) {
        type = configuration[TapSettings.type]
        bundleId = configuration[OperationsSettings.recordApp]
        header = configuration[TapSettings.header]
        text = configuration[TapSettings.containing].map { ByteSearch(Array($0.utf8)) }
        since = configuration[OperationsSettings.tapFrom]?.millisecondsSince1970
    }

    func matches(_ record: KafkaRecord) -> Bool {
        if let since, (record.timestampMilliseconds ?? .max) < since { return false }
        if let type, !Self.isType(record, type) { return false }
        if let bundleId, !Self.isOf(record, bundleId) { return false }
        if let header, record.header(header.name)?.text != header.value { return false }
        if let text, !Self.isFound(text, in: record) { return false }
        return true
    }

    private static func isFound(_ text: ByteSearch, in record: KafkaRecord) -> Bool {
        let value = record.value ?? []
        if text.isFound(in: record.key ?? []) || text.isFound(in: value) { return true }
        // Other records have decoded payloads; a quarantined notification is stored as received.
        return record.text(.quarantineReason) != nil && PayloadSearch(text: text).isFound(in: value)
    }

    private static func isType(_ record: KafkaRecord, _ type: String) -> Bool {
        var subject = ReplaySubject(notification: record)
        if record.text(.quarantineReason) != nil {
            let kept = QuarantineRecord(key: record.key, value: record.value, headers: record.headers)
            subject = ReplaySubject(kept, receivedAt: nil)
        }
        return subject.type.map { $0 == type || $0.hasPrefix(type + ".") } ?? false
    }

    private static func isOf(_ record: KafkaRecord, _ bundleId: String) -> Bool {
        if let named = record.text(.bundleId) ?? record.text(.quarantineBundleId) { return named == bundleId }
        let key = record.key.map { String(decoding: $0, as: UTF8.self) }
        return key.flatMap { RecordKey.parts(of: $0)?.bundleId.rawValue } == bundleId
    }
}

/// Settings of `sluicectl tap` that select records.
enum TapSettings {
    static let type = Setting.string(
        "type", help: "Only notifications of this type, with all subtypes unless one is given.",
        example: "DID_RENEW or SUBSCRIBED.RESUBSCRIBE"
    ).optional.onCommandLineOnly
    static let containing = Setting.string(
        "containing",
        help: """
            Only records with this text in the key or the value, such as an identifier. The payloads of quarantined \
            notifications are decoded first.
            """,
        example: "2000000000000001"
    ).optional.onCommandLineOnly
    static let header = Setting(
        "header", .headerValue, help: "Only records with this value in a header.", example: "ce_origin=history"
    ).optional.onCommandLineOnly

    static let all: [any AnySetting] = [type, OperationsSettings.recordApp, containing, header]
}

extension ValueKind where Value == (name: String, value: String) {
    /// A header and its value: `NAME=VALUE`.
    fileprivate static var headerValue: ValueKind {
        ValueKind(
            name: "NAME=VALUE", expected: "a header and its value", example: "ce_origin=history",
            text: { "\($0.name)=\($0.value)" }
        ) { text throws(SettingError) in
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                throw SettingError("must have the form NAME=VALUE")
            }
            return (String(text[..<equals]), String(text[text.index(after: equals)...]))
        }
    }
}
