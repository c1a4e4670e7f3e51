/// The two unsigned body formats.
public enum LegacySource: String, Sendable, CaseIterable {
    /// Version 1, which has `unified_receipt`.
    case v1
    /// A status update notification, the oldest format. The receipts are objects in the body.
    case v0

    /// The value of the `version` member for a body in this format.
    var version: String { self == .v1 ? "1.0" : "0.0" }
}
