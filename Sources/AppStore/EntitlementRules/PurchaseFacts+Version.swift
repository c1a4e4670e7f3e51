package import AppStoreModel

extension PurchaseFacts {
    /// Returns a string that orders the published states of a purchase: the greater string belongs to the newer state,
    /// regardless of record offsets. The string consists of the signing date of the newest fact (for an erasure, the
    /// time of the erasure) and the time of the answer. Both are in milliseconds since 1970 with 15 digits, enough for
    /// the year 9999.
    package func version(at instant: AppStoreInstant) -> String {
        let newest = max(latestSignedDate, erasedAt ?? .earliest)
        return String(unsafeUninitializedCapacity: 2 * Self.versionDigits + 1) { text in
            Self.write(newest, to: text, at: 0)
            text[Self.versionDigits] = UInt8(ascii: "-")
            Self.write(instant, to: text, at: Self.versionDigits + 1)
            return 2 * Self.versionDigits + 1
        }
    }

    private static let versionDigits = 15

    private static func write(
        _ instant: AppStoreInstant, to text: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) {
        var rest = max(0, instant.millisecondsSince1970)
        for position in (start..<start + versionDigits).reversed() {
            text[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
