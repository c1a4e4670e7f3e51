internal import AppStoreModel
internal import RefundCases
internal import RefundRules
internal import Synchronization
internal import Telemetry

/// What the service counts beside the runtime's own metrics.
final class RefundsMetrics: Sendable {
    private let requests: Counter
    private let attempts: [AttemptOutcome: Counter]
    private let answers: LabelledCounters
    private let ended: [AnswerEnd.Kind: Counter]
    private let answerTime: Histogram
    private let unauthorizedCounter: Counter
    private let providerFailures: Counter
    /// The earliest deadline of what waits, and until when requests to an environment pause; milliseconds since 1970.
    private let present = Mutex((deadline: Int64?.none, isPaused: false))

    init(_ registry: MetricsRegistry, now: @escaping @Sendable () -> Int64) {
        requests = registry.counter(
            RefundsMetricName.requests, help: "CONSUMPTION_REQUEST notifications, repetitions included.")
        attempts = Dictionary(
            uniqueKeysWithValues: AttemptOutcome.allCases.map {
                (
                    $0,
                    registry.counter(
                        RefundsMetricName.attempts, help: "Attempts to send consumption information, by outcome.",
                        labels: [MetricLabel("outcome", $0.rawValue)])
                )
            })
        answers = registry.counters(
            RefundsMetricName.answers, help: "Answers that Apple accepted, by the preference they state.",
            label: "answer", values: RefundOutcome.allCases.map(\.rawValue))
        ended = Dictionary(
            uniqueKeysWithValues: AnswerEnd.Kind.allCases.map {
                (
                    $0,
                    registry.counter(
                        RefundsMetricName.ended,
                        help: "Requests that ended without an accepted answer: withheld on purpose, refused, missed.",
                        labels: [MetricLabel("end", $0.rawValue)])
                )
            })
        answerTime = registry.histogram(
            RefundsMetricName.answerTime, help: "Time from the receipt of a request to the acceptance of its answer.",
            buckets: [1, 5, 15, 60, 300, 900, 3_600, 7_200, 14_400, 28_800, 39_600, 43_200])
        unauthorizedCounter = registry.counter(
            RefundsMetricName.unauthorized, help: "Answers 401 of the App Store Server API: key, issuer, app or clock.")
        providerFailures = registry.counter(
            RefundsMetricName.providerFailures, help: "Questions to the company's service that it did not answer.")
        registry.collect { [weak self] samples in
            guard let (deadline, isPaused) = self?.present.withLock({ $0 }) else { return }
            samples.gauge(
                RefundsMetricName.paused, help: "1 while requests to the App Store Server API wait after failures.",
                isPaused ? 1 : 0)
            if let deadline {
                samples.gauge(
                    RefundsMetricName.nextDeadline,
                    help: "Seconds until the earliest deadline of a request that waits; absent while none waits.",
                    Double(deadline - now()) / 1_000)
            }
        }
    }

    func requested() { requests.increment() }
    func attempted(_ outcome: AttemptOutcome) {
        attempts[outcome]?.increment()
        if outcome == .unauthorized { unauthorizedCounter.increment() }
    }
    func providerFailed() { providerFailures.increment() }

    func accepted(_ answer: FrozenAnswer, milliseconds: Int64) {
        answers[answer.outcome].increment()
        answerTime.observe(Double(milliseconds) / 1_000)
    }

    func ended(_ kind: AnswerEnd.Kind) { ended[kind]?.increment() }

    func waiting(nextDeadline: Int64?, isPaused: Bool) { present.withLock { $0 = (nextDeadline, isPaused) } }
}
