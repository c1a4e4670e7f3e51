/// The row format versions of the `appstore.reconciliation.*` topics, which `sluicectl version` prints as JSON.
package enum ReconciliationVersions {
    package static var sweep: Int { Int(Sweep.formatVersion) }
    package static var receivedNotifications: Int { Int(ReceivedNotifications.format) }
}
