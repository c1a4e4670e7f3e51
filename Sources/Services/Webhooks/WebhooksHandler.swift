internal import HTTPClient
package import Kafka
package import PipelineRuntime
internal import Primitives
internal import Records
internal import Synchronization
internal import Telemetry

/// Posts each record in the receiver's scope until the receiver accepts it.
///
/// A record is done when the receiver has accepted it. It is dead-lettered only if the receiver repeatedly fails to
/// process it while accepting other records. If the status concerns the record (``Refused``), this happens once the
/// record's attempts are used up. If the status concerns the receiver or there is no response (``RecordFailures``),
/// this happens after some time. More than ``refusalLimit`` consecutive refusals, of any records, are the receiver's
/// fault; all records then wait until one is accepted.
package final class WebhooksHandler: RecordHandler {
    /// The receiver refused the record.
    struct Refused: RecordFault, CustomStringConvertible {
        let status: Int
        let id: String

        var reason: HandlerReason {
            HandlerReason(code: "\(WebhooksReason.refusedPrefix)\(status)", detail: description)
        }
        var description: String { "the receiver responded \(status) (webhook-id \(id))" }
    }

    /// How long to wait before checking again while a record's segment is missing from the certificates topic.
    private static let headerWait: Duration = .seconds(1)
    /// How long to wait before reexamining a record while delivery is stopped. Nothing is sent.
    private static let stoppedWait: Duration = .seconds(60)

    private let settings: WebhooksConfiguration
    private let reading: MessageReading
    private let sender: WebhookSender
    private let attempts: AttemptLog
    private let failures: RecordFailures
    private let probe = ReceiverProbe()
    private let accepted = AcceptedStates()
    private let headers = HeaderWaits()
    private let readCertificates: @Sendable () async -> Bool
    private let refusalLimit: Int
    private let metrics: WebhooksMetrics
    private let receiver: ReceiverEvents
    private let log: RateLimitedLogger
    private let refusalsInARow = Atomic(0)
    private let isStopped = Atomic(false)

    /// - Parameters:
    ///   - refusals: the maximum number of times that a record is refused before it is dead-lettered.
    ///   - receiver: publishes events about a receiver that stops accepting messages.
    ///   - file: the file that keeps failures across restarts, or nil to store none.
    ///   - readCertificates: reads the certificates topic from its beginning into `reading`'s directory; returns
    ///     whether it reached the end.
    init(
        _ settings: WebhooksConfiguration, refusals: Int, reading: MessageReading, client: HTTPClient,
        attempts: AttemptLog,
        metrics: WebhooksMetrics, logger: Logger, receiver: ReceiverEvents = ReceiverEvents(nil, group: ""),
        clocks: Clocks = .system, failures file: FailuresFile? = nil,
        readCertificates: @escaping @Sendable () async -> Bool = { false }
    ) {
        self.settings = settings
        self.reading = reading
        self.attempts = attempts
        self.metrics = metrics
        self.receiver = receiver
        self.readCertificates = readCertificates
        failures = RecordFailures(settings.failures, file: file, clocks: clocks)
        refusalLimit = Self.refusalLimit(attempts: refusals)
        log = RateLimitedLogger(logger, perSecond: 1)
        sender = WebhookSender(settings, client: client, clocks: clocks, log: log)
    }

    /// Returns the number of consecutive refusals, of any records, beyond which the receiver is at fault: the attempts
    /// for four records.
    static func refusalLimit(attempts: Int) -> Int { attempts * 4 }

    package func handle(_ record: KafkaRecord) async throws -> HandlerVerdict {
        let message: WebhookMessage
        do throws(WebhookMessageError) {
            message = try reading.message(record)
        } catch {
            switch error {
            case .unusable(let reason): return .deadLetter(HandlerReason(code: reason))
            case .unwanted(let reason): return .skip(HandlerReason(code: reason))
            case .notYet(let header): return await wait(for: header, record)
            }
        }
        if let reason = settings.filter.refusal(message) { return .skip(HandlerReason(code: reason)) }
        if accepted.hasAccepted(message.content, of: record) {
            return .skip(HandlerReason(code: WebhooksReason.unchanged))
        }
        if isStopped.load(ordering: .relaxed) { return .retry(after: Self.stoppedWait) }
        accepted.willPost(message.content, of: record)
        let attempt = try await send(message)
        if attempt.isAccepted {
            probe.accepted(message)
            accepted.accepted(message.content, of: record)
        }
        let verdict = try verdict(record, message.id, attempt.answer)
        if case .retry = verdict { try await askForAcceptance(beside: record) }
        return verdict
    }

    /// Returns the verdict on a record whose header segment is missing from the certificates topic.
    private func wait(for header: HeaderReference, _ record: KafkaRecord) async -> HandlerVerdict {
        headers.forget { reading.certificates.segment($0) != nil }
        let now = sender.clocks.monotonicNanoseconds()
        switch headers.step(header, at: now) {
        case .wait: break
        case .lost:
            return .deadLetter(
                HandlerReason(
                    code: WebhooksReason.unknownHeader, detail: "header \(header) is not in the certificates topic"))
        case .read:
            let isComplete = await readCertificates()
            headers.wasRead(since: isComplete ? now : nil, at: sender.clocks.monotonicNanoseconds())
        }
        log.log(
            .warning, key: "header", "webhook is waiting for a header missing from the certificates topic",
            [
                LogField(.topic, record.topic.rawValue), LogField(.partition, record.partition.rawValue),
                LogField(.offset, record.offset.rawValue), LogField(.header, header.rawValue),
            ])
        return .retry(after: Self.headerWait)
    }

    private func send(_ message: WebhookMessage) async throws -> DeliveryAttempt {
        let attempt = try await sender.send(message)
        metrics.attempted(attempt.answer.outcome, nanoseconds: attempt.nanoseconds)
        attempts.add(attempt)
        if attempt.isAccepted { receiver.accepted() }
        return attempt
    }

    /// Posts a probe if one is needed and due. A failing record is at fault only if the receiver accepts something
    /// else. Without a probe, a partition with nothing else to deliver would wait for the failing record indefinitely.
    private func askForAcceptance(beside record: KafkaRecord) async throws {
        let now = sender.clocks.monotonicNanoseconds()
        guard failures.lacksAcceptance(record, at: now), let message = probe.take(at: now) else { return }
        if try await send(message).isAccepted { failures.acceptedAgain() }
    }

    package func partitionReleased(_ partition: KafkaTopicPartition) async {
        failures.forget(partition)
        accepted.forget(partition)
    }

    private func verdict(
        _ record: KafkaRecord, _ id: String, _ answer: ReceiverAnswer
    ) throws -> HandlerVerdict {
        switch answer.outcome {
        case .accepted:
            refusalsInARow.store(0, ordering: .relaxed)
            failures.accepted(record)
            return .done
        case .gone where settings.stopsWhenGone:
            isStopped.store(true, ordering: .relaxed)
            metrics.stopped()
            receiver.failed(
                answer, isPermanent: true, endsDeliveries: true, at: sender.clocks.monotonicNanoseconds())
            tell(.error, "receiver responded 410; deliveries stopped", record, id, answer)
            return .retry(after: Self.stoppedWait)
        case .refused:
            let refusals = refusalsInARow.add(1, ordering: .relaxed).newValue
            if refusals <= refusalLimit { throw Refused(status: answer.status ?? 0, id: id) }
            receiver.failed(answer, isPermanent: true, at: sender.clocks.monotonicNanoseconds())
            tell(.error, "receiver rejects every webhook; nothing is delivered", record, id, answer)
            return .retry(after: nil)
        case .throttled, .connectionFailed, .tls:
            // The receiver did not examine the record.
            receiver.failed(answer, at: sender.clocks.monotonicNanoseconds())
            tell(answer.outcome == .tls ? .error : .warning, "webhook not delivered; retrying", record, id, answer)
            return .retry(after: answer.retryAfter)
        case .unavailable, .timedOut, .failed, .receiverSettings, .gone:
            receiver.failed(answer, at: sender.clocks.monotonicNanoseconds())
            if failures.failed(record, at: sender.clocks.monotonicNanoseconds()) {
                return .deadLetter(HandlerReason(code: answer.reasonCode, detail: "\(answer.text) (webhook-id \(id))"))
            }
            let needsOperator = answer.outcome == .receiverSettings || answer.outcome == .gone
            tell(
                needsOperator || answer.outcome == .failed ? .error : .warning,
                needsOperator
                    ? "webhook not delivered; check the receiver's settings" : "webhook not delivered; retrying",
                record, id, answer)
            return .retry(after: answer.retryAfter)
        }
    }

    private func tell(
        _ level: Logger.Level, _ message: StaticString, _ record: KafkaRecord, _ id: String, _ answer: ReceiverAnswer
    ) {
        var fields = [
            LogField(.topic, record.topic.rawValue), LogField(.partition, record.partition.rawValue),
            LogField(.offset, record.offset.rawValue), LogField(.webhookId, id),
            LogField(.reason, answer.outcome.rawValue), LogField(.error, answer.text),
        ]
        if let status = answer.status { fields.append(LogField(.status, status)) }
        if let wait = answer.retryAfter { fields.append(LogField(.retryAfterSeconds, wait.components.seconds)) }
        log.log(level, key: answer.outcome.rawValue, message, fields)
    }
}
