// The format is: the format byte 1, the flags (1 if `since` is present), the length of the key (16 bits), the key,
// `since` (64 bits, if present), and then 20 bytes for each notification in ascending order: its ``NotificationMark``
// (128 bits) and its minute (32 bits). Integers are big-endian. Equal values have identical bytes.
extension ReceivedNotifications {
    static let format: UInt8 = 1

    package var bytes: [UInt8] {
        let text = Array(key.utf8.prefix(Int(UInt16.max)))
        var bytes: [UInt8] = [Self.format, since == nil ? 0 : 1]
        bytes.reserveCapacity(16 + text.count + 20 * minutes.count)
        Self.append(UInt16(text.count), to: &bytes)
        bytes += text
        if let since { Self.append(UInt64(bitPattern: since), to: &bytes) }
        for (mark, minute) in minutes.sorted(by: { $0.key < $1.key }) {
            Self.append(mark.high, to: &bytes)
            Self.append(mark.low, to: &bytes)
            Self.append(minute, to: &bytes)
        }
        return bytes
    }

    /// Parses the output of ``bytes``.
    ///
    /// - Throws: ``RowFormatError``.
    package init(bytes: [UInt8]) throws(RowFormatError) {
        var rest = bytes[...]
        guard let format: UInt8 = Self.read(&rest) else { throw .invalid }
        guard format <= Self.format else { throw .unknownFormat }
        guard format == Self.format, let flags: UInt8 = Self.read(&rest), flags <= 1,
            let length: UInt16 = Self.read(&rest), rest.count >= Int(length),
            let key = String(validating: rest.prefix(Int(length)), as: UTF8.self)
        else { throw .invalid }
        rest = rest.dropFirst(Int(length))
        var since: Int64?
        if flags == 1 {
            guard let bits: UInt64 = Self.read(&rest) else { throw .invalid }
            since = Int64(bitPattern: bits)
        }
        var minutes: [NotificationMark: UInt32] = [:]
        minutes.reserveCapacity(rest.count / 20)
        while !rest.isEmpty {
            guard let high: UInt64 = Self.read(&rest), let low: UInt64 = Self.read(&rest),
                let minute: UInt32 = Self.read(&rest)
            else { throw .invalid }
            minutes[NotificationMark(high: high, low: low)] = minute
        }
        self.init(key: key, minutes: minutes, since: since)
    }

    private static func append<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
        for shift in stride(from: Value.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> Value(shift)))
        }
    }

    private static func read<Value: FixedWidthInteger>(_ bytes: inout ArraySlice<UInt8>) -> Value? {
        let count = Value.bitWidth / 8
        guard bytes.count >= count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count).reduce(0) { (Value.bitWidth > 8 ? $0 << 8 : 0) | Value(truncatingIfNeeded: $1) }
    }
}

/// The reason why bytes are not a reconciliation topic row.
package enum RowFormatError: Error, Hashable, Sendable {
    case invalid
    /// The format is newer than this library supports, so the row must never be overwritten.
    case unknownFormat
}
