internal import AppStoreModel
internal import AppStoreVerification
internal import HTTPServer
internal import Kafka
internal import LegacyNotifications
internal import Publication
internal import Records
internal import Synchronization
internal import Telemetry
internal import Tracing

/// The ingress's metrics. Handles are created once, and counting takes no lock, except for ``decided(_:)`` and
/// ``password(isRight:app:)``.
final class IngressMetrics: Sendable {
    private let registry: MetricsRegistry
    private let decisions = Mutex<[DecisionKey: Counter]>([:])
    private let requestDuration: Histogram
    private let verification: Histogram
    private let acknowledgement: Histogram
    private let age: Histogram
    private let notifications: [String: LabelledCounters]
    private let quarantinedByReason: LabelledCounters
    private let kafkaFailures: LabelledCounters
    private let contradictions: Counter
    private let inconsistencies: Counter
    private let signedPayloadsKept: Counter
    private let certificateHeaders: Counter
    private let legacyNotifications: LabelledCounters
    private let legacyPasswords = Mutex<[PasswordKey: Counter]>([:])
    private let legacyUnresolved: Counter
    private let legacyIgnoredFields: Counter
    private let renewalInfoMissing: Counter

    private struct DecisionKey: Hashable {
        let reason: String
        let status: Int
    }

    private struct PasswordKey: Hashable {
        let app: BundleId?
        let isRight: Bool
    }

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        requestDuration = registry.histogram(
            IngressMetricName.decisionDuration, help: "Time from the start of a request to its response.")
        verification = registry.histogram(
            IngressMetricName.verification, help: "Duration of one verification on a worker.",
            buckets: [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05])
        acknowledgement = registry.histogram(
            IngressMetricName.acknowledgement,
            help: "Time from passing a record to librdkafka to its delivery report.")
        age = registry.histogram(
            IngressMetricName.age, help: "Time from a notification's signedDate to its receipt.",
            buckets: [1, 5, 30, 60, 300, 3_600, 21_600, 86_400, 604_800])
        notifications = Dictionary(
            uniqueKeysWithValues: AppStoreEnvironment.published.map { environment in
                (
                    environment.rawValue,
                    registry.counters(
                        IngressMetricName.notifications, help: "Accepted notifications that Kafka has acknowledged.",
                        label: "type", values: NotificationType.known.map(\.rawValue),
                        labels: [MetricLabel("environment", environment.topicSuffix)])
                )
            })
        quarantinedByReason = registry.counters(
            IngressMetricName.quarantined, help: "Nonconforming notifications acknowledged in the quarantine topic.",
            label: "reason",
            values: Reason.allCases.filter { $0.step == .profile }.map(\.rawValue) + [IngressReason.legacyProfile])
        kafkaFailures = registry.counters(
            IngressMetricName.kafkaFailures, help: "Records that Kafka did not acknowledge.", label: "error",
            values: [
                "_MSG_TIMED_OUT", "_TRANSPORT", "_ALL_BROKERS_DOWN", "NOT_ENOUGH_REPLICAS",
                "MSG_SIZE_TOO_LARGE", "_PURGE_QUEUE", "_PURGE_INFLIGHT", "_FATAL", "BROKERS_UNAVAILABLE",
                "TOO_MANY_IN_FLIGHT", "PARTITION_SLOW", "PRODUCER_REPLACED", "CLOSED",
            ])
        signedPayloadsKept = registry.counter(
            IngressMetricName.signedPayloadKept,
            help: "Records that include the compact JWS because it cannot be rebuilt byte for byte.")
        certificateHeaders = registry.counter(
            IngressMetricName.certificateHeaders, help: "JWS header segments acknowledged in the certificates topic.")
        legacyNotifications = registry.counters(
            IngressMetricName.legacyNotifications,
            help: "Version 1 and older notifications with the correct password, by type.", label: "type",
            values: LegacyNotification.documentedTypes)
        legacyUnresolved = registry.counter(
            IngressMetricName.legacyUnresolved,
            help: "Version 1 and older notifications whose transaction is not in their receipt.")
        legacyIgnoredFields = registry.counter(
            IngressMetricName.legacyIgnoredFields,
            help: "Undocumented field values in version 1 and older notifications, treated as absent.")
        renewalInfoMissing = registry.counter(
            IngressMetricName.renewalInfoMissing,
            help: "Accepted subscription notifications that lack the renewal info documented by Apple.")
        contradictions = registry.counter(
            IngressMetricName.contradictions,
            help: "Notifications that differ from an earlier one with the same notificationUUID, which is kept.")
        inconsistencies = registry.counter(
            IngressMetricName.inconsistencies,
            help: "Verified notifications without an identity: a bug; please report it.")
    }

    /// Counts a request, including requests that the HTTP parser rejected. Called on the loop thread.
    func decided(_ decision: RequestOutcome) {
        let key = DecisionKey(reason: decision.reason, status: decision.status)
        let counter = decisions.withLock { known in
            if let counter = known[key] { return counter }
            // This program defines the reasons and statuses, so the number of series is limited.
            let counter = registry.counter(
                IngressMetricName.decisions, help: "Requests by response reason and status.",
                labels: [MetricLabel("reason", key.reason), MetricLabel("status", String(key.status))])
            known[key] = counter
            return counter
        }
        counter.increment()
        // Status 0 means that the connection was closed without a response, after an arbitrary time.
        if decision.status > 0 { requestDuration.observe(nanoseconds: Int64(clamping: decision.nanoseconds)) }
    }

    /// Records a traced request as an exemplar for its duration.
    func answered(_ span: Span, nanoseconds: UInt64) { span.exemplify(requestDuration, nanoseconds: nanoseconds) }

    /// - Parameter nanoseconds: the total time of all verifications.
    func verified(_ count: Int, nanoseconds: UInt64) {
        let each = Int64(clamping: nanoseconds) / Int64(max(1, count))
        for _ in 0..<count { verification.observe(nanoseconds: each) }
    }

    func published(_ event: NotificationPublisher.Event) {
        switch event {
        case .acknowledged(let nanoseconds, let span):
            acknowledgement.observe(nanoseconds: Int64(clamping: nanoseconds))
            span?.exemplify(acknowledgement, nanoseconds: nanoseconds)
        case .notAcknowledged(let error): kafkaFailures[error.name].increment()
        case .certificateHeader: certificateHeaders.increment()
        case .signedPayloadKept: signedPayloadsKept.increment()
        }
    }

    func accepted(_ identity: RecordIdentity, _ trust: RecordTrust, receivedAt: AppStoreInstant) {
        notifications[identity.environment.rawValue]?[identity.notificationType.rawValue].increment()
        // Version 1 notifications have no signing time.
        guard trust == .signed else { return }
        let (age, overflow) = receivedAt.millisecondsSince1970
            .subtractingReportingOverflow(identity.signedDate.millisecondsSince1970)
        if !overflow { self.age.observe(Double(age) / 1_000) }
    }

    /// Counts a notification that passed the checks, before it is published.
    func passed(_ notification: VerifiedNotification) {
        if notification.lacksRenewalInfo { renewalInfoMissing.increment() }
    }

    func quarantined(_ record: QuarantineRecord) { quarantinedByReason[record.reason].increment() }

    /// Counts a password check for a body of version 1 or earlier.
    ///
    /// - Parameter app: the configured app named in the body, or nil. Other apps are never counted, so the number of
    ///   series is limited.
    func password(isRight: Bool, app: BundleId?) {
        let key = PasswordKey(app: app, isRight: isRight)
        let counter = legacyPasswords.withLock { counters in
            if let counter = counters[key] { return counter }
            let counter = registry.counter(
                IngressMetricName.legacyPasswords,
                help: "Password checks for version 1 and older bodies, by the app that the body names.",
                labels: [
                    MetricLabel("bundleid", app?.rawValue ?? "-"), MetricLabel("outcome", isRight ? "right" : "wrong"),
                ])
            counters[key] = counter
            return counter
        }
        counter.increment()
    }

    /// Counts a notification of version 1 or earlier before it is published.
    func mapped(_ notification: LegacyNotification) {
        legacyNotifications[notification.rawType].increment()
        if notification.transactionId == nil { legacyUnresolved.increment() }
        legacyIgnoredFields.increment(by: UInt64(clamping: notification.ignoredFields))
    }

    func contradicted() { contradictions.increment() }

    func inconsistent() { inconsistencies.increment() }
}
