/// The format versions of the rows of `appstore.reconciliation.*`, for the table of stored formats.
package enum ReconciliationVersions {
    package static var sweep: Int { Int(Sweep.formatVersion) }
    package static var receivedNotifications: Int { Int(ReceivedNotifications.format) }
}
