internal import AppStoreModel
internal import AppStoreServerAPI
internal import Records
internal import RefundRules
internal import Synchronization
internal import Telemetry

/// Metrics of the service, in addition to the runtime's. Most have an environment label, so that sandbox problems need
/// not page anyone.
final class RefundsMetrics: Sendable {
    /// Identifies the rounds in an environment that are waiting for the same reason.
    struct Undecided: Hashable, Sendable {
        let environment: AppStoreEnvironment
        let reason: String
    }

    private struct Present {
        /// The earliest deadline in each environment, in milliseconds since 1970.
        var deadlines: [AppStoreEnvironment: Int64] = [:]
        var obstacles: [Undecided: Int] = [:]
        var paused: Set<AppStoreEnvironment> = []
    }

    private let counters: [AppStoreEnvironment: EnvironmentMetrics]
    private let unauthorized: Counter
    private let providerFailures: LabelledCounters
    private let present = Mutex(Present())

    /// - Parameters:
    ///   - rules: the names of the rules.
    ///   - now: the wall-clock time in milliseconds since 1970.
    init(_ registry: MetricsRegistry, rules: [String], now: @escaping @Sendable () -> Int64) {
        counters = Dictionary(
            uniqueKeysWithValues: AppStoreEnvironment.published.map {
                ($0, EnvironmentMetrics(registry, $0, rules: rules))
            })
        unauthorized = registry.counter(
            RefundsMetricName.unauthorized,
            help: "401 responses from the App Store Server API: wrong key, issuer, app or clock.")
        providerFailures = registry.counters(
            RefundsMetricName.providerFailures, help: "Requests to the company's service that got no usable response.",
            label: "reason", values: ProviderError.Code.allCases.map(\.rawValue))
        registry.collect { [weak self] samples in self?.sample(&samples, now()) }
    }

    private func sample(_ samples: inout MetricSamples, _ now: Int64) {
        let present = present.withLock { $0 }
        for environment in AppStoreEnvironment.published {
            let label = MetricLabel("environment", environment.topicSuffix)
            samples.gauge(
                RefundsMetricName.paused, help: "1 if requests to Apple are paused after failures, otherwise 0.",
                labels: [label], present.paused.contains(environment) ? 1 : 0)
            for reason in EnvironmentMetrics.waitingReasons {
                samples.gauge(
                    RefundsMetricName.undecided,
                    help: "Consumption requests that cannot be answered yet, by reason.",
                    labels: [label, MetricLabel("reason", reason)],
                    Double(present.obstacles[Undecided(environment: environment, reason: reason)] ?? 0))
            }
            guard let deadline = present.deadlines[environment] else { continue }
            samples.gauge(
                RefundsMetricName.nextDeadline,
                help: "Seconds until the earliest deadline of a waiting consumption request; absent if there is none.",
                labels: [label], Double(deadline - now) / 1_000)
        }
    }

    func requested(_ environment: AppStoreEnvironment) { counters[environment]?.requests.increment() }

    func attempted(_ outcome: AttemptOutcome, _ environment: AppStoreEnvironment) {
        counters[environment]?.attempts[outcome.rawValue].increment()
        if outcome == .unauthorized { unauthorized.increment() }
    }

    func providerFailed(_ code: ProviderError.Code) { providerFailures[code.rawValue].increment() }

    func accepted(_ answer: FrozenAnswer, _ refund: RefundCase, milliseconds: Int64) {
        guard let counters = counters[refund.environment] else { return }
        counters.answers[answer.outcome].increment()
        counters.ruleAnswers[answer.rule ?? EnvironmentMetrics.noRule].increment()
        counters.answerTime.observe(Double(milliseconds) / 1_000)
    }

    func ended(_ kind: AnswerEnd.Kind, _ environment: AppStoreEnvironment, reason: String) {
        counters[environment]?.ended[kind]?[reason].increment()
    }

    func waiting(
        deadlines: [AppStoreEnvironment: Int64], obstacles: [Undecided: Int], paused: Set<AppStoreEnvironment>
    ) {
        present.withLock { $0 = Present(deadlines: deadlines, obstacles: obstacles, paused: paused) }
    }

    /// Records the API client's events.
    func observe(_ event: APIEvent) {
        guard case .answered(_, let scope, let status, _, let milliseconds) = event,
            let counters = counters[scope.environment]
        else { return }
        counters.apiTime.observe(Double(milliseconds) / 1_000)
        counters.apiAnswers[status.map(String.init) ?? EnvironmentMetrics.noStatus].increment()
    }
}

/// The metrics for one environment. All label values are registered up front, so that the first increment is visible.
private struct EnvironmentMetrics: Sendable {
    static let noRule = "none"
    static let noStatus = "none"

    static let waitingReasons =
        RefundReason.ofWaiting + ConsumptionError.Code.allCases.filter { !$0.isFinal }.map(\.rawValue)
    private static let finalReasons =
        ConsumptionError.Code.allCases.filter(\.isFinal).map(\.rawValue) + [
            RefundReason.ambiguous, RefundReason.notConfirmed, RefundReason.erased, RefundReason.replaced,
        ]

    let requests: Counter
    let attempts: LabelledCounters
    let answers: LabelledCounters
    let ruleAnswers: LabelledCounters
    let ended: [AnswerEnd.Kind: LabelledCounters]
    let answerTime: Histogram
    let apiTime: Histogram
    let apiAnswers: LabelledCounters

    init(_ registry: MetricsRegistry, _ environment: AppStoreEnvironment, rules: [String]) {
        let labels = [MetricLabel("environment", environment.topicSuffix)]
        requests = registry.counter(
            RefundsMetricName.requests, help: "CONSUMPTION_REQUEST notifications, including repeated ones.",
            labels: labels)
        attempts = registry.counters(
            RefundsMetricName.attempts, help: "Attempts to send consumption information, by outcome.",
            label: "outcome", values: AttemptOutcome.allCases.map(\.rawValue), labels: labels)
        answers = registry.counters(
            RefundsMetricName.answers, help: "Answers accepted by Apple, by preference.",
            label: "answer", values: RefundOutcome.allCases.map(\.rawValue), labels: labels)
        ruleAnswers = registry.counters(
            RefundsMetricName.ruleAnswers, help: "Answers accepted by Apple, by rule.",
            label: "rule", values: rules + [Self.noRule], labels: labels)
        ended = Dictionary(
            uniqueKeysWithValues: AnswerEnd.Kind.allCases.map { kind in
                (
                    kind,
                    registry.counters(
                        RefundsMetricName.ended, help: "Consumption requests that ended without an accepted answer.",
                        label: "reason", values: Self.reasons(kind),
                        labels: labels + [MetricLabel("end", kind.rawValue)])
                )
            })
        answerTime = registry.histogram(
            RefundsMetricName.answerTime, help: "Time from receipt of a consumption request to its accepted answer.",
            labels: labels,
            buckets: [1, 5, 15, 60, 300, 900, 3_600, 7_200, 14_400, 28_800, 39_600, 43_200])
        apiTime = registry.histogram(
            RefundsMetricName.apiTime, help: "Duration of requests to the App Store Server API, including failed ones.",
            labels: labels)
        apiAnswers = registry.counters(
            RefundsMetricName.apiAnswers, help: "Requests to the App Store Server API, by HTTP status.",
            label: "status",
            values: [200, 202, 400, 401, 403, 404, 429, 500, 502, 503, 504].map(String.init) + [Self.noStatus],
            labels: labels)
    }

    private static func reasons(_ kind: AnswerEnd.Kind) -> [String] {
        switch kind {
        case .withheld: finalReasons
        case .missed: waitingReasons + [RefundReason.noAnswerAccepted]
        case .tooLate: [RefundReason.tooLate]
        case .observed: [RefundReason.observed]
        // Apple's error codes are counted as `other`; the refund case contains the code itself.
        case .refused: []
        }
    }
}
