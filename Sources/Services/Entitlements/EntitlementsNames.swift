internal import Telemetry

/// Names of the service's metrics, which are a public contract. The runtime defines the metrics common to all
/// consumers.
enum EntitlementsMetricName {
    static let purchasesChanged = "sluice_entitlements_purchases_changed_total"
    static let staleFacts = "sluice_entitlements_stale_facts_total"
    static let disagreements = "sluice_entitlements_status_disagreements_total"
    static let reads = "sluice_entitlements_reads_total"
    static let readFailures = "sluice_entitlements_read_failures_total"
    static let readDuration = "sluice_entitlements_read_duration_seconds"
    static let confirmations = "sluice_entitlements_confirmations_total"
    static let unconfirmedOldest = "sluice_entitlements_unconfirmed_oldest_seconds"
    static let confirmationsPaused = "sluice_entitlements_confirmations_paused"
    static let unconfirmable = "sluice_entitlements_unconfirmable_total"
    static let statusQueries = "sluice_entitlements_status_queries_needed_total"
    static let reports = "sluice_entitlements_reports_total"
    static let requests = "sluice_entitlements_requests_total"
    static let factsAge = "sluice_entitlements_facts_age_seconds"
    static let factsStale = "sluice_entitlements_facts_stale"
}

/// Reason codes for skipped and dead-lettered records, used as metric labels and in dead letters. A value that is not a
/// notification record is dead-lettered with the code of the `RecordError`.
enum EntitlementsReason {
    // Codes for skipped records, which are valid but irrelevant to entitlements.
    static let nullValue = "null_value"
    static let noPurchase = "no_purchase"
    /// A version 1 notification that does not identify its transaction.
    static let unresolved = "unresolved"
    // Codes for dead-lettered records, which require an operator's attention.
    static let transactionMissing = "transaction_missing"
    static let identityMissing = "identity_missing"
    static let fieldType = "field_type"
    static let environmentMismatch = "environment_mismatch"
    static let identifierTooLong = "identifier_too_long"
    static let unknownTopic = "unknown_topic"
}

/// Members and parameters of the read API, which are a public contract. EntitlementRules defines the members of the
/// answer itself, and ``Route`` the paths. `entitlements.openapi.json` describes all of them.
enum ReadAPIName {
    static let appAccountToken: StaticString = "appAccountToken"
    static let transfer: StaticString = "transfer"
    static let originalTransactionId: StaticString = "originalTransactionId"
    static let appTransactionId: StaticString = "appTransactionId"
    static let transactionId: StaticString = "transactionId"
    static let environment: StaticString = "environment"
    static let bundleId: StaticString = "bundleId"
    static let at: StaticString = "at"
    static let unclaimed: StaticString = "unclaimed"
    static let after: StaticString = "after"
    static let limit: StaticString = "limit"
    static let id: StaticString = "id"
    static let from: StaticString = "from"
    static let to: StaticString = "to"
    static let subjects: StaticString = "subjects"
    static let signedTransactionInfo: StaticString = "signedTransactionInfo"
    static let signedRenewalInfo: StaticString = "signedRenewalInfo"

    static let known: StaticString = "known"
    static let answers: StaticString = "answers"
    static let asOf: StaticString = "asOf"
    static let stale: StaticString = "stale"
    static let version: StaticString = "version"
    static let purchases: StaticString = "purchases"
    static let previousOriginalTransactionId: StaticString = "previousOriginalTransactionId"
    static let migratedTo: StaticString = "migratedTo"
    static let consents: StaticString = "consents"
    static let rescindedAt: StaticString = "rescindedAt"
    static let transitions: StaticString = "transitions"
    static let events: StaticString = "events"
    static let state: StaticString = "state"
    static let productId: StaticString = "productId"
    static let active: StaticString = "active"
    static let next: StaticString = "next"
    static let trust: StaticString = "trust"
    static let awaitsConfirmation: StaticString = "awaitsConfirmation"
    static let latestSignedDate: StaticString = "latestSignedDate"
    static let erasedAt: StaticString = "erasedAt"

    static let error: StaticString = "error"
    static let message: StaticString = "message"
    // Values of `error`.
    static let badRequest = "bad_request"
    static let notFound = "not_found"
    static let tooManyPurchases = "too_many_purchases"
    static let belongsToAnother = "belongs_to_another"
    static let changesAreOff = "changes_are_off"
    static let uploadsAreOff = "uploads_are_off"
    static let readOnlyKey = "read_only_key"
    static let storiesAreOff = "stories_are_off"
    static let notVerified = "not_verified"
    static let notReadable = "not_readable"
    static let otherEnvironment = "other_environment"
    static let tooOld = "too_old"
    static let certificateExpired = "certificate_expired"
    static let notConfirmed = "not_confirmed"
    static let busy = "busy"
    static let unavailable = "unavailable"
    static let staleFacts = "stale"
}

extension LogKey {
    static let path = LogKey(rawValue: "path")
    static let host = LogKey(rawValue: "host")
    static let port = LogKey(rawValue: "port")
    static let listener = LogKey(rawValue: "listener")
    static let bundleId = LogKey(rawValue: "bundleId")
    static let environment = LogKey(rawValue: "environment")
    static let originalTransactionId = LogKey(rawValue: "originalTransactionId")
    /// The name of a client's key, never the key.
    static let keyName = LogKey(rawValue: "keyName")
    static let status = LogKey(rawValue: "status")
    static let topic = LogKey(rawValue: "topic")
    static let setting = LogKey(rawValue: "setting")
    static let fix = LogKey(rawValue: "fix")
    static let attempts = LogKey(rawValue: "attempts")
}
