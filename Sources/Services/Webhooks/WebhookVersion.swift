/// The `version` member of a message's `data`. If two messages concern the same purchase, the one with the greater
/// version text is newer.
///
/// Versions are derived from signing and evaluation times, not from offsets, which restart when a topic is recreated.
enum WebhookVersion {
    /// Returns the version of an erasure, derived from the end of the erased period, because a tombstone contains no
    /// version.
    static func text(erasedAt milliseconds: Int64) -> String { "\(padded(milliseconds))-\(padded(milliseconds))" }

    /// Returns the version of a notification. Sluice orders Apple's statements about a subject by signedDate, then by
    /// notificationUUID.
    static func text(signedDate milliseconds: Int64, notificationUUID: String) -> String {
        "\(padded(milliseconds))-\(notificationUUID)"
    }

    /// Pads a number to 15 digits, which is enough for the year 9999.
    private static func padded(_ milliseconds: Int64) -> String {
        let digits = String(max(0, milliseconds))
        return String(repeating: "0", count: max(0, 15 - digits.utf8.count)) + digits
    }
}
