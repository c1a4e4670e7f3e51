internal import Telemetry

/// Names of the service's metrics, a contract; the consumer's own are the runtime's.
enum EntitlementsMetricName {
    static let chainsChanged = "sluice_entitlements_chains_changed_total"
    static let lateFacts = "sluice_entitlements_late_facts_total"
    static let disagreements = "sluice_entitlements_status_disagreements_total"
    static let reads = "sluice_entitlements_reads_total"
    static let readDuration = "sluice_entitlements_read_duration_seconds"
}

/// Codes of skipped and dead-lettered records, which label metrics and stand in dead letters.
enum EntitlementsReason {
    // Skipped: legal, and no business of entitlements.
    static let nullValue = "null_value"
    static let noPurchase = "no_purchase"
    // Dead-lettered: an operator should look.
    static let transactionMissing = "transaction_missing"
    static let noChain = "no_chain"
    static let fieldType = "field_type"
    static let environmentMismatch = "environment_mismatch"
    static let identifierTooLong = "identifier_too_long"
}

/// Members and parameters of the read API, a contract; those of the answer itself are EntitlementRules' own.
enum ReadAPIName {
    static let path: StaticString = "/v1/entitlements"
    static let appAccountToken = "appAccountToken"
    static let originalTransactionId = "originalTransactionId"
    static let environment = "environment"
    static let bundleId = "bundleId"
    static let at = "at"
    static let chains = "chains"
    static let error = "error"
    static let message = "message"
}

extension LogKey {
    static let path = LogKey(rawValue: "path")
    static let host = LogKey(rawValue: "host")
    static let port = LogKey(rawValue: "port")
    static let movedTo = LogKey(rawValue: "movedTo")
}
