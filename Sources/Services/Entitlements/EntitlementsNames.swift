internal import Telemetry

/// Names of the service's metrics, a contract; the consumer's own are the runtime's.
enum EntitlementsMetricName {
    static let chainsChanged = "sluice_entitlements_chains_changed_total"
    static let lateFacts = "sluice_entitlements_late_facts_total"
    static let disagreements = "sluice_entitlements_status_disagreements_total"
    static let reads = "sluice_entitlements_reads_total"
    static let readFailures = "sluice_entitlements_read_failures_total"
    static let readDuration = "sluice_entitlements_read_duration_seconds"
}

/// Codes of skipped and dead-lettered records, which label metrics and stand in dead letters. A value that is no
/// notification record is dead-lettered under the code of its `RecordError`.
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
    static let unknownTopic = "unknown_topic"
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
    // Values of `error`.
    static let badRequest = "bad_request"
    static let notFound = "not_found"
    static let tooManyChains = "too_many_chains"
    static let unavailable = "unavailable"
}

extension LogKey {
    static let path = LogKey(rawValue: "path")
    static let host = LogKey(rawValue: "host")
    static let port = LogKey(rawValue: "port")
    static let listener = LogKey(rawValue: "listener")
}
