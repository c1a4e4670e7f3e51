internal import AppStoreModel
internal import AppStoreVerification
internal import HTTPServer
internal import Kafka
internal import Records
internal import Telemetry
internal import Time

/// A request on its way to a verification worker.
struct NotificationWork: Sendable {
    let body: [UInt8]
    /// The request's `traceparent`, where it is valid.
    let traceParent: String?
    let exchange: Exchange
}

/// Decides one notification: verify, build its record, produce, and answer when Kafka has acknowledged.
///
/// `process` runs on a verification worker. It waits for nothing: the answer after a produce comes from the delivery
/// report, or from the listener's handler deadline when that is earlier.
final class NotificationProcessor: Sendable {
    private let verifier: NotificationVerifier
    private let producer: KafkaProducer
    private let topics: ProducedTopics
    private let duplicates: DuplicateWindow<Exchange>
    private let quarantine: QuarantineBudget
    private let clocks: Clocks
    private let sanity: ClockSanity
    private let metrics: IngressMetrics
    private let decisions: DecisionLog

    init(
        verifier: NotificationVerifier, producer: KafkaProducer, topics: ProducedTopics,
        duplicates: DuplicateWindow<Exchange>, quarantine: QuarantineBudget, clocks: Clocks, sanity: ClockSanity,
        metrics: IngressMetrics, decisions: DecisionLog
    ) {
        self.verifier = verifier
        self.producer = producer
        self.topics = topics
        self.duplicates = duplicates
        self.quarantine = quarantine
        self.clocks = clocks
        self.sanity = sanity
        self.metrics = metrics
        self.decisions = decisions
    }

    func process(_ work: NotificationWork) {
        let now = clocks.wallMilliseconds()
        guard sanity.observe(wall: now, monotonic: clocks.monotonicMilliseconds()) else {
            return work.exchange.respond(AcknowledgementPolicy.clock)
        }
        let begun = clocks.monotonicNanoseconds()
        let verdict = verifier.verify(body: work.body, at: now)
        metrics.verified(nanoseconds: clocks.monotonicNanoseconds() &- begun)
        switch verdict {
        case .accepted(let notification): publish(notification, work, receivedAt: now)
        case .nonconforming(let notification): quarantine(notification, work, receivedAt: now)
        case .notForUs(let refusal), .notApple(let refusal), .retryLater(let refusal):
            decisions.explain(refusal)
            work.exchange.respond(AcknowledgementPolicy.refused(refusal))
        case .legacy: work.exchange.respond(AcknowledgementPolicy.legacyDisabled)
        }
    }

    // MARK: Accepted notifications

    private func publish(_ verified: VerifiedNotification, _ work: NotificationWork, receivedAt now: Int64) {
        // A verified notification has all that names it; the verifier's profile check says so.
        guard let identity = verified.recordIdentity,
            let uuid = NotificationIdentity(
                notificationUUID: identity.notificationUUID.rawValue.utf8, environment: identity.environment.windowCode),
            let receivedAt = AppStoreInstant(millisecondsSince1970: now)
        else {
            metrics.inconsistent()
            return work.exchange.respond(AcknowledgementPolicy.inconsistent)
        }
        let known = RememberedIdentity.notification(uuid)
        guard isFirst(known, work) else { return }
        let record = KafkaProducerRecord(
            identity, to: topics.notifications(identity.environment), content: RecordContent(verified),
            receivedAt: receivedAt, traceParent: work.traceParent)
        let answer = verified.reason == nil ? AcknowledgementPolicy.accepted : AcknowledgementPolicy.sandbox
        metrics.accepted(identity, receivedAt: receivedAt)
        send(record) { [self] result in
            switch result {
            case .success: settle(known, work, acknowledged: answer)
            case .failure(let error): settle(known, work, refused: AcknowledgementPolicy.notAcknowledged(error))
            }
        }
    }

    // MARK: Duplicates

    /// Whether this request is the one that produces; if not it is answered, or will be with the one that does.
    private func isFirst(_ identity: RememberedIdentity, _ work: NotificationWork) -> Bool {
        switch duplicates.arrive(identity, waiter: work.exchange) {
        case .waits: return false
        case .acknowledged:
            work.exchange.respond(AcknowledgementPolicy.duplicate)
            return false
        case .first: return true
        }
    }

    private func settle(_ identity: RememberedIdentity, _ work: NotificationWork, acknowledged answer: HTTPResponse) {
        let waiters = duplicates.settle(identity, acknowledged: true)
        work.exchange.respond(answer)
        for waiter in waiters { waiter.respond(AcknowledgementPolicy.duplicate) }
    }

    private func settle(_ identity: RememberedIdentity, _ work: NotificationWork, refused answer: HTTPResponse) {
        let waiters = duplicates.settle(identity, acknowledged: false)
        work.exchange.respond(answer)
        for waiter in waiters { waiter.respond(answer) }
    }

    // MARK: Nonconforming notifications

    private func quarantine(_ notification: NonconformingNotification, _ work: NotificationWork, receivedAt now: Int64)
    {
        // Its signature stands, or it would not be odd.
        guard let known = notification.signedPartDigest.flatMap(RememberedIdentity.init(nonconformingWithDigest:))
        else {
            metrics.inconsistent()
            return work.exchange.respond(AcknowledgementPolicy.inconsistent)
        }
        // Before the budget: whoever holds one odd notification could otherwise spend all of it with copies.
        guard isFirst(known, work) else { return }
        guard quarantine.take(work.body.count, nowNanoseconds: clocks.monotonicNanoseconds()) else {
            return settle(known, work, refused: AcknowledgementPolicy.quarantineBudget)
        }
        let record = QuarantineRecord(
            notification, body: work.body, receivedAt: AppStoreInstant(millisecondsSince1970: now))
        metrics.quarantined(notification)
        decisions.explain(notification)
        send(record.produced(to: topics.quarantine)) { [self] result in
            switch result {
            case .success: settle(known, work, acknowledged: AcknowledgementPolicy.quarantined(notification))
            case .failure(let error):
                // An outage must not spend the budget. A record that may have been written stays counted.
                if error.persistence == .no { quarantine.giveBack(work.body.count) }
                settle(known, work, refused: AcknowledgementPolicy.notAcknowledged(error))
            }
        }
    }

    // MARK: Kafka

    private func send(
        _ record: KafkaProducerRecord, then: @escaping @Sendable (Result<Void, KafkaError>) -> Void
    ) {
        let begun = clocks.monotonicNanoseconds()
        // No deadline of its own: the listener answers 503 at the handler deadline, and the place in flight is given
        // back only when librdkafka has let go of the record.
        producer.send(record, deadline: nil) { [metrics, clocks] result in
            switch result {
            case .success:
                metrics.acknowledged(nanoseconds: clocks.monotonicNanoseconds() &- begun)
                then(.success(()))
            case .failure(let error):
                metrics.notAcknowledged(error)
                then(.failure(error))
            }
        }
    }
}
