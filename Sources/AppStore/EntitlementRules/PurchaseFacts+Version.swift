internal import AppStoreModel

extension PurchaseFacts {
    /// Of two published states of a purchase the one with the greater text is the newer one, whatever the offsets of
    /// their records: when the newest of all that is known was signed (an erasure counts with its moment), then the
    /// moment that the answer is of. Both in milliseconds since 1970, with 15 digits, which the year 9999 needs.
    func version(at instant: AppStoreInstant) -> String {
        "\(Self.padded(max(latestSignedDate, erasedAt ?? .earliest)))-\(Self.padded(instant))"
    }

    private static func padded(_ instant: AppStoreInstant) -> String {
        let digits = String(max(0, instant.millisecondsSince1970))
        return String(repeating: "0", count: max(0, 15 - digits.utf8.count)) + digits
    }
}
