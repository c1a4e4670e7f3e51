internal import AppStoreModel
internal import JSON

/// The syntax of strings in legacy bodies.
enum LegacyGrammar {
    /// Parses a string of digits, without escapes, within the range of `Int64`.
    static func wholeNumber(_ value: JSONElement) -> Int64? {
        guard let range = value.plainTextRange, (1...19).contains(range.count) else { return nil }
        var number: Int64 = 0
        for byte in value.document.bytes[range] {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(digit))
            guard !overflow, !carry else { return nil }
            number = sum
        }
        return number
    }

    /// Parses `yyyy-MM-dd HH:mm:ss Etc/GMT`.
    static func date(_ value: JSONElement) -> AppStoreInstant? {
        guard value.kind == .string, value.range.count <= 64, let text = value.string else { return nil }
        var bytes = Array(text.utf8)
        let zone = Array(" Etc/GMT".utf8)
        guard bytes.count == 19 + zone.count, bytes[10] == UInt8(ascii: " "), bytes[19...].elementsEqual(zone) else {
            return nil
        }
        bytes[10] = UInt8(ascii: "T")
        bytes.replaceSubrange(19..., with: "Z".utf8)
        return AppStoreInstant(rfc3339: bytes)
    }
}
