/// The member `version` of a message's `data`: of two messages about one purchase the greater text is the newer one.
///
/// Made of what was signed and when that was looked at, not of offsets, which begin again when a topic is recreated.
enum WebhookVersion {
    /// Of a state that does not say its version: an erasure, whose timestamp is the moment up to which everything was
    /// erased.
    static func text(erasedAt milliseconds: Int64) -> String { "\(padded(milliseconds))-\(padded(milliseconds))" }

    /// Of a notification: Sluice orders what Apple says about one thing by signedDate, then by notificationUUID.
    static func text(signedDate milliseconds: Int64, notificationUUID: String) -> String {
        "\(padded(milliseconds))-\(notificationUUID)"
    }

    /// 15 digits, as many as the year 9999 needs.
    private static func padded(_ milliseconds: Int64) -> String {
        let digits = String(max(0, milliseconds))
        return String(repeating: "0", count: max(0, 15 - digits.utf8.count)) + digits
    }
}
