internal import AppStoreModel
internal import AppStoreVerification
internal import HTTPServer
internal import JSON
internal import Kafka
internal import LegacyNotifications
internal import Primitives
internal import Publication
internal import Records
internal import Telemetry
internal import Tracing

/// A request queued for a verification worker.
struct NotificationWork: Sendable {
    let body: [UInt8]
    let trace: RequestTrace
    /// The time of receipt, in milliseconds since 1970.
    let receivedAt: Int64
    let exchange: Exchange
    /// Whether the request was already postponed once because there were too many new certificate chains.
    var isSecondTry = false
}

/// Processes notifications: verifies each one, builds and produces its record, and responds once Kafka has acknowledged
/// the record.
///
/// `process` runs on a verification worker and never blocks. Once a record has been produced, the response is sent when
/// the delivery report arrives or the listener's handler deadline passes, whichever comes first.
final class NotificationProcessor: Sendable {
    private let verifier: NotificationVerifier
    private let legacyVerifier: LegacyVerifier
    private let limits: BodyLimits
    private let publisher: NotificationPublisher
    private let duplicates: DuplicateWindow<Exchange>
    private let quarantine: QuarantineBudget
    private let clocks: Clocks
    private let sanity: ClockSanity
    private let metrics: IngressMetrics
    private let decisions: DecisionLog
    private let signedDates: SignedDates
    private let topics: ProducedTopics

    init(
        verifier: NotificationVerifier, legacyVerifier: LegacyVerifier, limits: BodyLimits,
        publisher: NotificationPublisher, topics: ProducedTopics, duplicates: DuplicateWindow<Exchange>,
        quarantine: QuarantineBudget, clocks: Clocks, sanity: ClockSanity, signedDates: SignedDates,
        metrics: IngressMetrics, decisions: DecisionLog
    ) {
        self.verifier = verifier
        self.legacyVerifier = legacyVerifier
        self.limits = limits
        self.publisher = publisher
        self.topics = topics
        self.duplicates = duplicates
        self.quarantine = quarantine
        self.clocks = clocks
        self.sanity = sanity
        self.signedDates = signedDates
        self.metrics = metrics
        self.decisions = decisions
    }

    /// Processes several notifications at once; see ``NotificationVerifier/verify(bodies:at:limits:isAcknowledged:)``.
    ///
    /// - Returns: the requests to retry after others have had their turn. All other requests have been or will be
    ///   answered. Bodies that may contain a password are overwritten.
    func process(_ works: [NotificationWork]) -> [NotificationWork] {
        let now = clocks.wallMilliseconds()
        let monotonic = clocks.monotonicMilliseconds()
        guard sanity.observe(wall: now, monotonic: monotonic) else {
            for work in works {
                work.exchange.respond(AcknowledgementPolicy.clock)
                work.body.wipe()
            }
            return []
        }
        let begun = clocks.monotonicNanoseconds()
        let verdicts = verifier.verify(
            bodies: works.lazy.map(\.body), at: now, limits: limits, isAcknowledged: isAcknowledged)
        let elapsed = clocks.monotonicNanoseconds() &- begun
        metrics.verified(works.count, nanoseconds: elapsed)
        var again: [NotificationWork] = []
        var duplicates: [Exchange] = []
        for (work, verdict) in zip(works, verdicts) {
            if let span = work.trace.span { recordVerification(verdict, nanoseconds: elapsed, in: span) }
            switch decide(work, verdict, at: monotonic) {
            case .again(let work): again.append(work)
            case .duplicate: duplicates.append(work.exchange)
            case .answered: work.body.wipe()
            // Do not overwrite a body signed by Apple: it contains no secrets, and the record references parts of the
            // body.
            case .published: break
            }
        }
        // Respond to all duplicates at once, which wakes the listener only once.
        Exchange.respond(AcknowledgementPolicy.duplicate, to: duplicates)
        return again
    }

    private enum Decision {
        case again(NotificationWork)
        case answered
        /// The request is answered together with other duplicates.
        case duplicate
        case published
    }

    private func decide(_ work: NotificationWork, _ verdict: Verdict, at monotonic: Int64) -> Decision {
        switch verdict {
        case .accepted(let notification):
            signedDates.agreed()
            publish(notification, work)
            return .published
        case .duplicate(let envelope):
            signedDates.agreed()
            compare(envelope)
            return .duplicate
        case .nonconforming(let notification):
            signedDates.agreed()
            quarantine(notification, work)
        case .retryLater(let refusal) where refusal.reason == .newCertificateChains && !work.isSecondTry:
            var again = work
            again.isSecondTry = true
            return .again(again)
        case .notForUs(let refusal), .notApple(let refusal), .retryLater(let refusal):
            if refusal.reason == .clock { signedDates.contradicted(by: refusal.signedPartDigest, at: monotonic) }
            decisions.explain(refusal)
            work.exchange.respond(AcknowledgementPolicy.refused(refusal))
        case .legacy(let document): decide(legacy: document, work)
        }
        return .answered
    }

    // MARK: Accepted notifications

    private func publish(_ verified: VerifiedNotification, _ work: NotificationWork) {
        // The verifier's profile check guarantees that a verified notification has all identifying fields.
        guard let notification = AcceptedNotification(verified) else { return inconsistent(work) }
        metrics.passed(verified)
        publish(
            notification, work,
            answer: verified.reason == nil ? AcknowledgementPolicy.accepted : AcknowledgementPolicy.sandbox)
    }

    private func publish(_ notification: AcceptedNotification, _ work: NotificationWork, answer: HTTPResponse) {
        guard let receivedAt = AppStoreInstant(millisecondsSince1970: work.receivedAt) else {
            return inconsistent(work)
        }
        // The closures that wait for Kafka capture the exchange but not the body, which is already in the record.
        let (known, exchange) = (notification.duplicateKey, work.exchange)
        let (identity, trust) = (notification.identity, notification.trust)
        let content = ContentPrint(identity.notificationType, identity.subtype, identity.bundleId)
        guard isFirst(known, content, exchange) else {
            if duplicates.isOther(content, than: known) { contradict(identity.notificationUUID) }
            return
        }
        let sending = work.trace.startSending(to: topics.notifications(identity.environment))
        publisher.publish(
            notification, receivedAt: receivedAt, origin: .live, traceParent: work.trace.header(sending), span: sending
        ) { [self] result in
            if let sending { endSending(sending, to: topics.notifications(identity.environment), result) }
            switch result {
            case .success:
                metrics.accepted(identity, trust, receivedAt: receivedAt)
                settle(known, exchange, acknowledged: answer)
            case .failure(let error):
                settle(known, exchange, refused: AcknowledgementPolicy.notAcknowledged(error))
            }
        }
    }

    private func inconsistent(_ work: NotificationWork) {
        metrics.inconsistent()
        work.exchange.respond(AcknowledgementPolicy.inconsistent)
    }

    // MARK: Duplicates

    /// Returns whether Kafka has acknowledged this notification. Returns false while it is in flight.
    private func isAcknowledged(_ id: NotificationUUID, _ environment: AppStoreEnvironment) -> Bool {
        guard let key = DuplicateKey(notificationUUID: id.rawValue, environment: environment) else { return false }
        return duplicates.isAcknowledged(key)
    }

    /// Compares a duplicate with the acknowledged notification, because a UUID from Apple must identify a single
    /// notification.
    private func compare(_ envelope: NotificationEnvelope) {
        guard let id = envelope.notificationUUID.value, let environment = envelope.environment.value,
            let key = DuplicateKey(notificationUUID: id.rawValue, environment: environment)
        else { return }
        let content = ContentPrint(
            envelope.notificationType.value, envelope.subtype.value, envelope.bundleId.value)
        if duplicates.isOther(content, than: key) { contradict(id) }
    }

    /// Reports the contradiction. The request is answered as a duplicate, because a retry would change nothing.
    private func contradict(_ id: NotificationUUID) {
        metrics.contradicted()
        decisions.contradicted(id)
    }

    /// Returns whether this request must produce the record. If not, it has already been answered or will be answered
    /// together with the request that does.
    private func isFirst(_ identity: DuplicateKey, _ content: ContentPrint?, _ exchange: Exchange) -> Bool {
        switch duplicates.arrive(identity, content: content, waiter: exchange) {
        case .waits: return false
        case .acknowledged:
            exchange.respond(AcknowledgementPolicy.duplicate)
            return false
        case .first: return true
        }
    }

    private func settle(_ identity: DuplicateKey, _ exchange: Exchange, acknowledged answer: HTTPResponse) {
        let waiters = duplicates.settle(identity, acknowledged: true)
        exchange.respond(answer)
        for waiter in waiters { waiter.respond(AcknowledgementPolicy.duplicate) }
    }

    private func settle(_ identity: DuplicateKey, _ exchange: Exchange, refused answer: HTTPResponse) {
        let waiters = duplicates.settle(identity, acknowledged: false)
        exchange.respond(answer)
        for waiter in waiters { waiter.respond(answer) }
    }

    // MARK: Nonconforming notifications

    private func quarantine(_ notification: NonconformingNotification, _ work: NotificationWork) {
        // Only notifications with a verified signature are quarantined.
        guard
            let notification = QuarantinableNotification(
                // Copy the body, because `process` overwrites it after this call.
                notification, body: work.body.withUnsafeBytes { Array($0) },
                receivedAt: AppStoreInstant(millisecondsSince1970: work.receivedAt),
                source: .live)
        else { return inconsistent(work) }
        quarantine(notification, work)
    }

    private func quarantine(_ notification: QuarantinableNotification, _ work: NotificationWork) {
        let (known, exchange, count) = (notification.duplicateKey, work.exchange, work.body.count)
        // Check for duplicates before using the budget; otherwise, copies of one notification could exhaust the budget.
        guard isFirst(known, nil, exchange) else { return }
        guard quarantine.take(count, nowNanoseconds: clocks.monotonicNanoseconds()) else {
            return settle(known, exchange, refused: AcknowledgementPolicy.quarantineBudget)
        }
        let sending = work.trace.startSending(to: topics.quarantine)
        publisher.quarantine(notification.record, span: sending) { [self] result in
            if let sending { endSending(sending, to: topics.quarantine, result) }
            switch result {
            case .success:
                metrics.quarantined(notification.record)
                decisions.explain(notification.record)
                settle(known, exchange, acknowledged: AcknowledgementPolicy.quarantined(notification))
            case .failure(let error):
                // Return the bytes to the budget, so that an outage does not exhaust the budget. The bytes of a record
                // that may have been written remain spent.
                if error.persistence == .no { quarantine.giveBack(count) }
                settle(known, exchange, refused: AcknowledgementPolicy.notAcknowledged(error))
            }
        }
    }

    // MARK: Version 1 and the oldest format

    private func decide(legacy document: JSONDocument, _ work: NotificationWork) {
        guard let receivedAt = AppStoreInstant(millisecondsSince1970: work.receivedAt) else {
            return inconsistent(work)
        }
        let verdict = legacyVerifier.verify(document, receivedAt: receivedAt, now: clocks.monotonicNanoseconds())
        switch verdict {
        case .refused(let refusal, let app):
            if case .password = refusal { metrics.password(isRight: false, app: app) }
            work.exchange.respond(AcknowledgementPolicy.refused(refusal))
        case .accepted(let legacy, let isUnexpectedSandbox):
            guard let notification = AcceptedNotification(legacy) else { return inconsistent(work) }
            metrics.password(isRight: true, app: legacy.bundleId)
            metrics.mapped(legacy)
            publish(
                notification, work,
                answer: isUnexpectedSandbox ? AcknowledgementPolicy.sandbox : AcknowledgementPolicy.accepted)
        case .nonconforming(let detail, let app, let environment, let redacted):
            metrics.password(isRight: true, app: app)
            guard
                let notification = QuarantinableNotification(
                    legacy: redacted, reason: IngressReason.legacyProfile, detail: detail, bundleId: app,
                    environment: environment, receivedAt: receivedAt)
            else { return inconsistent(work) }
            quarantine(notification, work)
        }
    }
}
