internal import AppStoreModel
internal import Kafka
internal import NotificationRecord

extension TappedRecord {
    private static let names = ["TIME", "TYPE", "BUNDLE", "KEY", "PRODUCT", "EXPIRES", "UUID", "PARTITION@OFFSET"]
    /// What nearly all values fit into; records are shown as they come, so no width can wait for the longest.
    private static let widths = [20, 36, 20, 18, 24, 20, 36, 16]

    /// The line above the records.
    static var heading: String { PlainText.line(names, widths: widths) + "\n" }

    /// One line.
    var text: String {
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
        return PlainText.line(cells.map { PlainText.printable($0, maximum: 160) }, widths: Self.widths) + "\n"
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
