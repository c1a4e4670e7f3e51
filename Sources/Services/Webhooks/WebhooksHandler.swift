internal import AppStoreModel
internal import Configuration
internal import HTTPClient
package import Kafka
package import PipelineRuntime
internal import Records
internal import Synchronization
internal import Telemetry
internal import Time

/// Posts each state to the receiver until it has it.
///
/// A record goes on when the receiver accepts it. It goes to the dead letter topic only when the receiver refuses this
/// one record, again and again, while it accepts others: refusals in a row, of whatever records, beyond
/// ``refusalLimit`` are a fault of the receiver, and then everything waits for the next acceptance.
package final class WebhooksHandler: RecordHandler {
    /// Longer answers are no answers: nothing of them is read.
    static let maximumAnswerBytes = 256 * 1024

    /// The receiver refused the record.
    struct Refused: RecordFault, CustomStringConvertible {
        let status: Int

        var reason: HandlerReason {
            HandlerReason(code: "\(WebhooksReason.refusedPrefix)\(status)", detail: description)
        }
        var description: String { "the receiver answered \(status)" }
    }

    private let plan: WebhooksPlan
    private let client: HTTPClient
    private let environments: [KafkaTopic: AppStoreEnvironment]
    private let refusalLimit: Int
    private let metrics: WebhooksMetrics
    private let log: RateLimitedLogger
    private let clocks: Clocks
    private let refusalsInARow = Atomic(0)

    /// - Parameter attempts: how often a record may be refused before it is dead-lettered.
    init(
        _ plan: WebhooksPlan, attempts: Int, client: HTTPClient, metrics: WebhooksMetrics, logger: Logger,
        clocks: Clocks = .system
    ) {
        self.plan = plan
        self.client = client
        self.metrics = metrics
        self.clocks = clocks
        environments = Dictionary(
            uniqueKeysWithValues: plan.environments.map {
                (plan.topics.entitlements($0), $0)
            })
        refusalLimit = Self.refusalLimit(attempts: attempts)
        log = RateLimitedLogger(logger, perSecond: 1)
    }

    /// Refusals in a row, of all records together, that are still the records' own: as many as four records may spend.
    static func refusalLimit(attempts: Int) -> Int { attempts * 4 }

    package func handle(_ record: KafkaRecord) async throws -> HandlerVerdict {
        guard let environment = environments[record.topic],
            let message = WebhookMessage(record, environment: environment)
        else { return .deadLetter(HandlerReason(code: WebhooksReason.keyMissing)) }
        let answer = try await deliver(message)
        switch answer.outcome {
        case .accepted:
            refusalsInARow.store(0, ordering: .relaxed)
            return .done
        case .refused:
            let refusals = refusalsInARow.add(1, ordering: .relaxed).newValue
            if refusals <= refusalLimit { throw Refused(status: answer.status ?? 0) }
            tell(.error, "receiver refuses every webhook, nothing is delivered", record, answer)
            return .retry(after: nil)
        case .receiverSettings, .tls, .failed:
            tell(.error, "webhook not delivered, an operator is needed", record, answer)
            return .retry(after: nil)
        case .unavailable, .throttled, .timedOut, .connectionFailed:
            tell(.warning, "webhook not delivered, trying again", record, answer)
            return .retry(after: answer.retryAfter)
        }
    }

    /// One attempt.
    ///
    /// - Throws: `CancellationError` when the work is cancelled.
    private func deliver(_ message: WebhookMessage) async throws -> ReceiverAnswer {
        // Receivers refuse a timestamp that is minutes old, so it is the attempt's and not the record's.
        let timestamp = clocks.wallMilliseconds() / 1000
        var headers = [
            (name: WebhooksHeader.id, value: message.id),
            (name: WebhooksHeader.timestamp, value: String(timestamp)),
            (
                name: WebhooksHeader.signature,
                value: try plan.secrets.signature(id: message.id, timestamp: timestamp, body: message.body)
            ),
            (name: WebhooksHeader.contentType, value: "application/json"),
        ]
        if let traceParent = message.traceParent {
            headers.append((name: WebhooksHeader.traceParent, value: traceParent))
        }
        let start = clocks.monotonicNanoseconds()
        let answer: ReceiverAnswer
        do throws(HTTPClientError) {
            let response = try await client.send(
                HTTPClientRequest(
                    method: "POST", url: plan.url, headers: headers, body: message.body, timeout: plan.timeout,
                    connectTimeout: plan.timeout, maximumBodyBytes: Self.maximumAnswerBytes))
            answer = ReceiverAnswer(response, now: timestamp)
        } catch {
            // Either way this work was cancelled.
            if error.code == .cancelled || error.code == .closed { throw CancellationError() }
            answer = ReceiverAnswer(error)
        }
        metrics.attempted(answer.outcome, nanoseconds: clocks.monotonicNanoseconds() &- start)
        return answer
    }

    private func tell(_ level: Logger.Level, _ message: StaticString, _ record: KafkaRecord, _ answer: ReceiverAnswer) {
        var fields = [
            LogField(.topic, record.topic.rawValue), LogField(.partition, record.partition.rawValue),
            LogField(.offset, record.offset.rawValue), LogField(.reason, answer.outcome.rawValue),
            LogField(.error, answer.text),
        ]
        if let status = answer.status { fields.append(LogField(.status, status)) }
        if let wait = answer.retryAfter { fields.append(LogField(.retryAfterSeconds, wait.components.seconds)) }
        log.log(level, key: answer.outcome.rawValue, message, fields)
    }
}
