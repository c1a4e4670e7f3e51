internal import AppStoreModel
internal import ArchiveLog
internal import CommandLine
internal import Cryptography
internal import JSON
internal import Kafka
internal import Records

/// The Merkle tree that contains an exported entry as a leaf. Each row identifies the tree, so that a proof for the row
/// can be checked.
struct ExportedTree: Sendable {
    /// The first line of the log's checkpoints.
    let origin: String
    /// The number of leaves covered by the export's checkpoint.
    let size: Int
}

/// An archive entry as written by `export`, or the reason that it cannot be read.
struct ExportedEntry {
    private let entry: ReadEntry
    private let tree: ExportedTree
    private let names: TopicNames
    /// The notification, or nil for other records and unreadable entries.
    private let notification: NotificationRecord?
    /// The reason that the entry has no readable record: `erased`, `expired`, `missing`, `key_unknown`, `gap` or
    /// `unreadable`; nil for a readable record.
    let problem: String?
    /// The compact JWS as received, or nil for version 1 or if it cannot be rebuilt.
    private let signedPayload: [UInt8]?
    /// The reason that the JWS cannot be rebuilt, or nil.
    let rebuildProblem: String?

    init(_ entry: ReadEntry, _ tree: ExportedTree, names: TopicNames, certificates: CertificateDirectory) {
        (self.entry, self.tree, self.names) = (entry, tree, names)
        guard case .record(let record) = entry.content, entry.leaf.position.kind == .notification else {
            (notification, problem, signedPayload, rebuildProblem) = (nil, entry.content.name, nil, nil)
            return
        }
        guard let notification = try? NotificationRecord(record) else {
            (self.notification, problem, signedPayload, rebuildProblem) = (nil, "unreadable", nil, nil)
            return
        }
        self.notification = notification
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

    var app: String? { notification?.bundleId?.rawValue }
    var type: String? { notification?.notification.notificationType?.rawValue }
    var isNotification: Bool { entry.leaf.position.kind == .notification }

    // MARK: JSON lines

    var json: [UInt8] {
        let leaf = entry.leaf
        var writer = JSONWriter(reservingCapacity: 1 << 13)
        writer.object { object in
            object.set("topic", leaf.position.topic.rawValue)
            object.set("partition", leaf.position.partition.rawValue)
            object.set("offset", leaf.position.offset.rawValue)
            object.set("leaf", Int64(entry.index))
            object.set("kind", leaf.position.kind.name)
            object.set("log", tree.origin)
            object.set("treeSize", Int64(tree.size))
            object.set("objectDigest", leaf.objectDigest.hex)
            object.set("timestamp", leaf.timestampMilliseconds.map(Self.instant))
            object.set("archivedAt", Self.instant(leaf.archivedAtMilliseconds))
            object.set("content", problem)
            if let notification {
                add(notification, to: &object)
            } else if case .record(let record) = entry.content {
                object.name("record")
                object.text(JSONValue.object(TappedRecord(record, names: names).json).json)
            }
        }
        return writer.bytes
    }

    private func add(_ record: NotificationRecord, to object: inout JSONWriter) {
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

    // MARK: CSV

    static let columns = [
        "receivedTime", "signedDate", "environment", "bundleId", "notificationType", "subtype", "notificationUUID",
        "originalTransactionId", "transactionId", "trust", "topic", "partition", "offset", "leaf", "archivedAt",
        "content", "log", "treeSize", "objectDigest",
    ]

    /// The row in CSV format (RFC 4180).
    var csv: String {
        let leaf = entry.leaf
        return Self.line([
            notification?.receivedAt?.description, notification?.notification.signedDate?.description,
            notification?.environment?.rawValue, app, type, notification?.notification.subtype?.rawValue,
            notification?.notificationUUID?.rawValue, purchase, notification?.transaction?.transactionId?.rawValue,
            notification?.trust?.rawValue, leaf.position.topic.rawValue, "\(leaf.position.partition.rawValue)",
            "\(leaf.position.offset.rawValue)", "\(entry.index)", Self.instant(leaf.archivedAtMilliseconds),
            problem ?? leaf.position.kind.name, tree.origin, "\(tree.size)", leaf.objectDigest.hex,
        ])
    }

    static var csvHead: String { line(columns) }

    private static func line(_ cells: [String?]) -> String {
        cells.map { cell(PlainText.printable($0 ?? "")) }.joined(separator: ",") + "\r\n"
    }

    /// Formats a cell. Adds an apostrophe before text that a spreadsheet would evaluate as a formula, because version 1
    /// input is not signed.
    private static func cell(_ text: String) -> String {
        let safe = text.first.map { "=+-@".contains($0) } ?? false ? "'\(text)" : text
        guard safe.contains(where: { $0 == "," || $0 == "\"" }) else { return safe }
        return "\"" + safe.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    private var purchase: String? {
        notification.flatMap { $0.transaction?.originalTransactionId ?? $0.originalTransactionId }?.rawValue
    }

    private static func instant(_ milliseconds: Int64) -> String {
        AppStoreInstant(clampingMillisecondsSince1970: milliseconds).description
    }
}
