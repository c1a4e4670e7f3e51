/// The two unsigned forms of a body.
public enum LegacySource: String, Sendable, CaseIterable {
    /// Version 1: with `unified_receipt`.
    case v1
    /// Status update notification, the oldest form: receipts as objects of the body.
    case v0

    /// The value of the `version` member when a body of this form is written.
    var version: String { self == .v1 ? "1.0" : "0.0" }
}
