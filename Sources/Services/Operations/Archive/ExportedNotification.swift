internal import AppStoreModel
internal import ArchiveFormat
internal import JSON
internal import Kafka
internal import Records

/// A notification of the archive as `export` writes it, or why it cannot be read any more.
struct ExportedNotification {
    let leaf: ArchiveLeaf
    let index: Int
    /// Nil where it cannot be read.
    private let record: NotificationRecord?
    /// `erased`, `expired`, `key_unknown`, `unreadable`; nil for a record.
    let problem: String?
    /// The compact JWS as received; nil for version 1, and where it cannot be rebuilt.
    private let signedPayload: [UInt8]?
    /// Why it cannot be rebuilt.
    let rebuildProblem: String?

    init(_ entry: FoundEntry, _ content: EntryContent, certificates: CertificateDirectory) {
        leaf = entry.leaf
        index = entry.index
        guard case .record(let record) = content else {
            (self.record, problem, signedPayload, rebuildProblem) = (nil, content.name, nil, nil)
            return
        }
        guard let notification = try? NotificationRecord(record) else {
            (self.record, problem, signedPayload, rebuildProblem) = (nil, "unreadable", nil, nil)
            return
        }
        self.record = notification
        problem = nil
        guard notification.trust != .sharedSecret else {
            (signedPayload, rebuildProblem) = (nil, nil)
            return
        }
        do throws(RebuildError) {
            signedPayload = try notification.rebuild { certificates.segment($0) }
            rebuildProblem = nil
        } catch {
            signedPayload = nil
            rebuildProblem = error.description
        }
    }

    var app: String? { record?.bundleId?.rawValue }
    var type: String? { record?.notification.notificationType?.rawValue }

    // MARK: JSON lines

    var json: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1 << 13)
        writer.object { object in
            object.set("topic", leaf.position.topic.rawValue)
            object.set("partition", leaf.position.partition.rawValue)
            object.set("offset", leaf.position.offset.rawValue)
            object.set("leaf", Int64(index))
            object.set("timestamp", leaf.timestampMilliseconds.map(Self.instant))
            object.set("archivedAt", Self.instant(leaf.archivedAtMilliseconds))
            object.set("content", problem)
            guard let record else { return }
            object.set("receivedTime", record.receivedAt?.description)
            object.set("environment", record.environment?.rawValue)
            object.set("bundleId", app)
            object.set("notificationType", type)
            object.set("subtype", record.notification.subtype?.rawValue)
            object.set("notificationUUID", record.notificationUUID?.rawValue)
            object.set("originalTransactionId", purchase)
            object.set("transactionId", record.transaction?.transactionId?.rawValue)
            object.set("signedDate", record.notification.signedDate?.description)
            object.set("trust", record.trust?.rawValue)
            object.set("origin", record.origin?.rawValue)
            object.set("signedPayload", signedPayload.map { String(decoding: $0, as: UTF8.self) })
            object.set("rebuildProblem", rebuildProblem)
            if let legacy = record.legacy {
                object.name("legacy")
                object.text(legacy.bytes)
            }
        }
        return writer.bytes
    }

    // MARK: CSV

    static let columns = [
        "receivedTime", "signedDate", "environment", "bundleId", "notificationType", "subtype", "notificationUUID",
        "originalTransactionId", "transactionId", "trust", "topic", "partition", "offset", "leaf", "archivedAt",
        "content",
    ]

    /// RFC 4180.
    var csv: String {
        Self.line([
            record?.receivedAt?.description, record?.notification.signedDate?.description,
            record?.environment?.rawValue, app, type, record?.notification.subtype?.rawValue,
            record?.notificationUUID?.rawValue, purchase, record?.transaction?.transactionId?.rawValue,
            record?.trust?.rawValue, leaf.position.topic.rawValue, "\(leaf.position.partition.rawValue)",
            "\(leaf.position.offset.rawValue)", "\(index)", Self.instant(leaf.archivedAtMilliseconds),
            problem ?? "notification",
        ])
    }

    static var csvHead: String { line(columns) }

    private static func line(_ cells: [String?]) -> String {
        cells.map { cell(PlainText.printable($0 ?? "")) }.joined(separator: ",") + "\r\n"
    }

    /// A cell that a spreadsheet would calculate begins with an apostrophe: what version 1 says is signed by nobody.
    private static func cell(_ text: String) -> String {
        let safe = text.first.map { "=+-@".contains($0) } ?? false ? "'\(text)" : text
        guard safe.contains(where: { $0 == "," || $0 == "\"" }) else { return safe }
        return "\"" + safe.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    private var purchase: String? {
        record.flatMap { $0.transaction?.originalTransactionId ?? $0.originalTransactionId }?.rawValue
    }

    private static func instant(_ milliseconds: Int64) -> String {
        AppStoreInstant(clampingMillisecondsSince1970: milliseconds).description
    }
}
