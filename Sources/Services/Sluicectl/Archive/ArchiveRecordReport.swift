internal import AppStoreModel
internal import ArchiveLog
internal import CommandLine
internal import Cryptography
internal import JSON
internal import Kafka
internal import Records

/// An archived record, as text or JSON. Data that may be personal is omitted unless the command reveals it.
struct ArchiveRecordReport {
    static let columns = ["TIME", "KIND", "RECORD", "LEAF", "CONTENT"]

    private let found: ReadEntry
    private let names: TopicNames
    private let reveals: Bool

    init(_ found: ReadEntry, names: TopicNames, reveals: Bool) {
        self.found = found
        self.names = names
        self.reveals = reveals
    }

    private var position: String {
        "\(found.partition.topic)/\(found.partition.partition)@\(found.leaf.position.offset)"
    }

    private var time: String {
        let milliseconds = found.leaf.timestampMilliseconds ?? found.leaf.archivedAtMilliseconds
        return PlainText.seconds(AppStoreInstant(clampingMillisecondsSince1970: milliseconds))
    }

    /// The cells of the record's row in the table printed by `find`.
    var cells: [String] {
        [time, found.leaf.position.kind.name, PlainText.printable(position), "\(found.index)", summary]
    }

    private var summary: String {
        switch found.content {
        case .record(let record):
            guard case .notification(let notification) = TappedRecord(record, names: names).content else {
                return "\(record.value?.count ?? 0) bytes"
            }
            let type = notification.notification.notificationType?.rawValue ?? "-"
            let subtype = notification.notification.subtype.map { ".\($0.rawValue)" } ?? ""
            return PlainText.printable(type + subtype)
        case .gap(let gap): return "no records up to offset \(gap.nextOffset.rawValue - 1)"
        case .erased: return "(erased)"
        case .expired: return "(deleted after its retention period)"
        case .missing: return "(missing: removed before its retention period ended)"
        case .keyUnknown: return "(the key is not in this key store)"
        }
    }

    /// The position of the record, without any of its content.
    var place: JSONObject {
        [
            OutputName.topic: .string(found.partition.topic.rawValue),
            OutputName.partition: .integer(Int64(found.partition.partition.rawValue)),
            OutputName.offset: .integer(found.leaf.position.offset.rawValue),
            OutputName.leaf: .integer(Int64(found.index)),
            OutputName.kind: .string(found.leaf.position.kind.name),
            OutputName.timestamp: found.leaf.timestampMilliseconds.map { .integer($0) } ?? .null,
            OutputName.status: .string(status),
        ]
    }

    private var status: String { found.content.name ?? "readable" }

    var json: JSONObject {
        var object = place
        object[OutputName.archivedAt] = .string(
            AppStoreInstant(clampingMillisecondsSince1970: found.leaf.archivedAtMilliseconds).description)
        object[OutputName.clusterId] = .string(found.leaf.position.clusterId)
        object[OutputName.key] = found.keyId.map { .string($0.hex) } ?? .null
        object[OutputName.objectDigest] = .string(found.leaf.objectDigest.hex)
        if case .record(let record) = found.content { object[OutputName.record] = .object(shown(record)) }
        return object
    }

    var text: String {
        let leaf = found.leaf
        let archived = AppStoreInstant(clampingMillisecondsSince1970: leaf.archivedAtMilliseconds)
        var rows = [
            ["record", PlainText.printable(position)], ["leaf", "\(found.index) of its log"],
            ["kind", leaf.position.kind.name], ["archived", PlainText.seconds(archived)],
            ["key", found.keyId?.hex ?? (leaf.key == nil ? "none" : "masked")], ["sha-256", leaf.objectDigest.hex],
            ["content", summary],
        ]
        if case .record(let record) = found.content {
            let object = shown(record)
            for name in object.names where name != OutputName.value {
                rows.append([name, PlainText.printable(plain(object[name]), maximum: 4096)])
            }
            return PlainText.table(rows) + plain(object[OutputName.value]) + "\n"
        }
        return PlainText.table(rows)
    }

    private func plain(_ value: JSONValue?) -> String {
        value.map { $0.string ?? String(decoding: $0.json, as: UTF8.self) } ?? "-"
    }

    /// Returns the record as printed by `tap`, redacted unless the command reveals it.
    private func shown(_ record: KafkaRecord) -> JSONObject {
        let object = TappedRecord(record, names: names).json
        return reveals || !found.leaf.position.kind.isPersonal ? object : ArchiveRedaction.redacted(object)
    }
}
