internal import AppStoreVerification
internal import Records
internal import Telemetry

/// The names of the ingress's metrics, which are a public contract.
enum IngressMetricName {
    static let decisions = "sluice_ingress_decisions_total"
    static let decisionDuration = "sluice_ingress_request_duration_seconds"
    static let notifications = "sluice_ingress_notifications_total"
    static let quarantined = "sluice_ingress_quarantined_total"
    static let signedPayloadKept = "sluice_ingress_records_with_signed_payload_total"
    static let certificateHeaders = "sluice_ingress_certificate_headers_published_total"
    static let age = "sluice_ingress_notification_age_seconds"
    static let verification = "sluice_ingress_verification_duration_seconds"
    static let acknowledgement = "sluice_ingress_acknowledgement_duration_seconds"
    static let kafkaFailures = "sluice_ingress_kafka_failures_total"
    static let kafkaAvailable = "sluice_ingress_kafka_available"
    static let kafkaInFlight = "sluice_ingress_kafka_records_in_flight"
    static let producerGeneration = "sluice_ingress_kafka_producer_generation"
    static let quarantineSpent = "sluice_ingress_quarantine_budget_spent_ratio"
    static let ready = "sluice_ingress_ready"
    static let revocationCertificates = "sluice_ingress_revocation_certificates"
    static let revocationAnswers = "sluice_ingress_revocation_answers_total"
    static let revocationAcceptedUnknown = "sluice_ingress_revocation_accepted_unknown_total"
    static let revocationNeedsAttention = "sluice_ingress_revocation_needs_attention"
    static let chainValidations = "sluice_ingress_chain_validations_total"
    static let tables = "sluice_ingress_tables"
    static let tableSignatures = "sluice_ingress_table_signatures_total"
    static let tableRechecks = "sluice_ingress_table_rechecks_total"
    static let tableFaults = "sluice_ingress_table_faults_total"
    static let contradictions = "sluice_ingress_contradictions_total"
    static let inconsistencies = "sluice_ingress_inconsistencies_total"
    static let legacyNotifications = "sluice_ingress_legacy_notifications_total"
    static let legacyPasswords = "sluice_ingress_legacy_passwords_total"
    static let renewalInfoMissing = "sluice_ingress_renewal_info_missing_total"
    static let legacyUnresolved = "sluice_ingress_legacy_unresolved_total"
    static let legacyIgnoredFields = "sluice_ingress_legacy_ignored_fields_total"
    static let connections = "sluice_http_connections"
    static let accepted = "sluice_http_connections_accepted_total"
    static let evicted = "sluice_http_connections_evicted_total"
    static let connectionsRefused = "sluice_http_connections_refused_total"
    static let deadlines = "sluice_http_deadlines_total"
    static let responsesDropped = "sluice_http_responses_dropped_total"
    static let requestsInFlight = "sluice_http_requests_in_flight"
    static let bodyBytes = "sluice_http_body_bytes_in_flight"
    static let unsentBytes = "sluice_http_unsent_bytes"
    static let slowPasses = "sluice_http_slow_passes_total"
}

/// The reason codes for responses that the ingress itself determines. Other codes come from the verifier and the HTTP
/// server.
enum IngressReason {
    static let accepted = "accepted"
    static let sandbox = "sandbox"
    static let duplicate = "duplicate"
    static let kafkaUnavailable = "kafka_unavailable"
    static let kafkaQueueFull = "kafka_queue_full"
    static let kafkaSlow = "kafka_slow"
    static let kafkaTimeout = "kafka_timeout"
    static let kafkaRecordTooLarge = "kafka_record_too_large"
    static let kafkaError = "kafka_error"
    /// Identical to the verifier's code, because both mean that this machine's clock is wrong.
    static let clock = Reason.clock.rawValue
    static let quarantineBudget = "quarantine_budget"
    /// A body of version 1 or earlier for an app without a shared secret.
    static let legacyDisabled = "v1_disabled"
    /// The password is missing, not a string, or not the app's.
    static let legacyPassword = "v1_password"
    /// Quarantined: the password is correct, but part of the body is unreadable.
    static let legacyProfile = QuarantineRecord.legacyProfileReason
    static let inconsistent = "internal"
}

extension LogKey {
    static let host = LogKey(rawValue: "host")
    static let port = LogKey(rawValue: "port")
    static let listener = LogKey(rawValue: "listener")
    static let setting = LogKey(rawValue: "setting")
    static let status = LogKey(rawValue: "status")
    static let bodyBytes = LogKey(rawValue: "bodyBytes")
    static let network = LogKey(rawValue: "network")
    static let apps = LogKey(rawValue: "apps")
    static let legacyApps = LogKey(rawValue: "legacyApps")
    static let revocation = LogKey(rawValue: "revocation")
    static let workers = LogKey(rawValue: "workers")
    static let profile = LogKey(rawValue: "profile")
    static let finding = LogKey(rawValue: "finding")
    static let detail = LogKey(rawValue: "detail")
    static let bundleId = LogKey(rawValue: "bundleId")
    static let notificationUUID = LogKey(rawValue: "notificationUUID")
    static let rootFingerprint = LogKey(rawValue: "rootFingerprint")
    static let leafSerial = LogKey(rawValue: "leafSerial")
    static let secondsOutsideValidity = LogKey(rawValue: "secondsOutsideValidity")
    static let publicKey = LogKey(rawValue: "publicKey")
    static let signedDigest = LogKey(rawValue: "signedDigest")
    static let signature = LogKey(rawValue: "signature")
    static let tableAccepts = LogKey(rawValue: "tableAccepts")
    static let revoked = LogKey(rawValue: "revoked")
    static let unknown = LogKey(rawValue: "unknown")
    static let acceptedUnknown = LogKey(rawValue: "acceptedUnknown")
}
