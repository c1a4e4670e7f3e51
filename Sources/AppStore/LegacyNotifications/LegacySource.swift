/// The two unsigned forms of a body.
public enum LegacySource: String, Sendable, CaseIterable {
    /// Version 1, which has `unified_receipt`.
    case v1
    /// A status update notification, the oldest form. The receipts are objects in the body.
    case v0

    /// The value to write for the `version` member of a body in this form.
    var version: String { self == .v1 ? "1.0" : "0.0" }
}
