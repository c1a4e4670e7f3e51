/// A format in which the App Store has sent notifications. The raw value is its name on the command line.
package enum NotificationFormat: String, Sendable, CaseIterable {
    /// Version 2: a signed payload.
    case v2
    /// Version 1: the customer's whole receipt, and the shared secret.
    case v1
    /// The status update notification, the oldest format: one transaction's receipt, and the shared secret.
    case v0
}
