internal import AppStoreModel
internal import CommandLine
internal import JSON
internal import Kafka
internal import Records

extension TappedRecord {
    /// The column titles. A row may end with a note, which has no title.
    static let columns = ["TIME", "TYPE", "BUNDLE", "KEY", "PRODUCT", "EXPIRES", "UUID", "PARTITION@OFFSET"]

    /// The cells of the record, one per column, followed by the note.
    var cells: [String] {
        var cells = [time, "(\(content.kind))", "-", "-", "-", "-", "-", "\(record.partition)@\(record.offset)"]
        if let key = record.key.map({ String(decoding: $0, as: UTF8.self) }) {
            let parts = RecordKey.parts(of: key)
            cells[2] = parts?.bundleId.rawValue ?? "-"
            cells[3] = parts?.subject ?? (key.isEmpty ? "-" : key)
        }
        switch content {
        case .notification(let notification): Self.fill(&cells, from: notification)
        case .quarantine(let quarantine):
            cells[2] = quarantine.bundleId?.rawValue ?? "-"
            cells[6] = quarantine.notificationUUID?.rawValue ?? "-"
            if cells[3] == cells[6] { cells[3] = "-" }
            cells.append(
                "\(quarantine.reason): \(quarantine.detail ?? "-") (\(quarantine.receivedBytes.count) bytes)")
        case .json(let value): cells.append(String(decoding: JSONValue(value).json, as: UTF8.self))
        case .tombstone: break
        case .undecodable(let reason): cells.append("\(reason) (\(record.value?.count ?? 0) bytes)")
        }
        return cells.map { PlainText.printable($0, maximum: 160) }
    }

    private var time: String {
        record.timestampMilliseconds.flatMap { AppStoreInstant(millisecondsSince1970: $0) }
            .map { PlainText.seconds($0) } ?? "-"
    }

    private static func fill(_ cells: inout [String], from record: NotificationRecord) {
        let notification = record.notification
        let transaction = record.transaction
        let type = notification.notificationType?.rawValue ?? "(no type)"
        cells[1] = type + (notification.subtype.map { ".\($0.rawValue)" } ?? "")
        if let bundleId = record.bundleId { cells[2] = bundleId.rawValue }
        cells[4] = (transaction?.productId ?? record.renewalInfo?.productId)?.rawValue ?? "-"
        cells[5] = transaction?.expiresDate.map { PlainText.seconds($0) } ?? "-"
        cells[6] = (notification.notificationUUID ?? record.notificationUUID)?.rawValue ?? "-"
    }
}

/// The column widths for streamed rows: the width of the widest cell so far, up to a maximum.
struct TapColumns {
    private static let greatestWidth = 48

    private var widths = TappedRecord.columns.map(\.count)
    private var isBegun = false

    /// Formats one line per row. The first call also returns the column titles.
    mutating func lines(_ rows: [[String]]) -> String {
        for row in rows {
            for column in widths.indices where column < row.count {
                widths[column] = max(widths[column], min(row[column].count, Self.greatestWidth))
            }
        }
        let shown = isBegun ? rows : [TappedRecord.columns] + rows
        isBegun = true
        return shown.map { PlainText.line($0, widths: widths) + "\n" }.joined()
    }
}
