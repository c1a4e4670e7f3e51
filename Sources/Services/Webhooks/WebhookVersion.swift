/// The member `version` of a message's `data`: of two messages about one purchase, the one with the greater text is
/// newer.
///
/// Derived from signing and evaluation times instead of offsets, which restart when a topic is recreated.
enum WebhookVersion {
    /// Returns the version of an erasure: a state without a version of its own, whose timestamp is the end of the
    /// erased period.
    static func text(erasedAt milliseconds: Int64) -> String { "\(padded(milliseconds))-\(padded(milliseconds))" }

    /// Returns the version of a notification: Sluice orders Apple's statements about one subject by signedDate, then by
    /// notificationUUID.
    static func text(signedDate milliseconds: Int64, notificationUUID: String) -> String {
        "\(padded(milliseconds))-\(notificationUUID)"
    }

    /// Pads to 15 digits, enough for the year 9999.
    private static func padded(_ milliseconds: Int64) -> String {
        let digits = String(max(0, milliseconds))
        return String(repeating: "0", count: max(0, 15 - digits.utf8.count)) + digits
    }
}
