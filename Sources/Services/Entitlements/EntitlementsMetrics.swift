internal import AppStoreModel
internal import EntitlementRules
internal import Records
internal import Telemetry

/// Metrics of the service, in addition to the runtime's.
struct EntitlementsMetrics: Sendable {
    private let changed: Counter
    private let late: Counter
    private let disagreements: Counter
    private let statusQueries: Counter
    private let reports: LabelledCounters
    private let reads: Counter
    private let readFailures: Counter
    private let readDuration: Histogram

    init(_ registry: MetricsRegistry) {
        changed = registry.counter(
            EntitlementsMetricName.purchasesChanged, help: "Purchases whose facts were changed by a batch.")
        late = registry.counter(
            EntitlementsMetricName.staleFacts, help: "Out-of-date facts that were ignored.")
        disagreements = registry.counter(
            EntitlementsMetricName.disagreements,
            help: "Purchases that changed and have facts that contradict Apple's status; the facts take precedence.")
        statusQueries = registry.counter(
            EntitlementsMetricName.statusQueries,
            help: "Published purchases whose facts do not explain Apple's statements; query their status."
        )
        reports = registry.counters(
            EntitlementsMetricName.reports,
            help: "Published purchases with a transaction that may grant less than intended.",
            label: "problem", values: EntitlementProblem.allCases.map(\.rawValue))
        reads = registry.counter(EntitlementsMetricName.reads, help: "Read API requests.")
        readFailures = registry.counter(
            EntitlementsMetricName.readFailures, help: "Read API requests that the database could not answer.")
        readDuration = registry.histogram(
            EntitlementsMetricName.readDuration, help: "Duration of one read API request.")
    }

    /// Registers the metrics for the age of the facts. While the age is unknown, it is omitted, and the facts are
    /// considered stale if there is a staleness limit.
    static func collect(
        _ input: InputFreshness, _ registry: MetricsRegistry, now: @escaping @Sendable () -> Int64
    ) {
        registry.collect { samples in
            let now = AppStoreInstant(clampingMillisecondsSince1970: now())
            for environment in AppStoreEnvironment.published {
                let labels = [MetricLabel("environment", environment.rawValue.lowercased())]
                let age = input.age(of: [environment], at: now)
                samples.gauge(
                    EntitlementsMetricName.factsStale,
                    help: "1 if the facts are older than entitlements.staleness.limit or of unknown age, otherwise 0.",
                    labels: labels, age?.isStale ?? true ? 1 : 0)
                guard let age, age.asOf != InputFreshness.unknown else { continue }
                samples.gauge(
                    EntitlementsMetricName.factsAge, help: "Age of the facts on which answers are based.",
                    labels: labels, Double(age.asOf.milliseconds(to: now)) / 1_000)
            }
        }
    }

    func merged(changed: Int, late: Int, disagreements: Int) {
        self.changed.increment(by: UInt64(clamping: changed))
        self.late.increment(by: UInt64(clamping: late))
        self.disagreements.increment(by: UInt64(clamping: disagreements))
    }

    func published(_ purchase: PublishedPurchase) {
        if purchase.needsStatusQuery { statusQueries.increment() }
        for problem in purchase.problems { reports[problem.rawValue].increment() }
    }

    func read(nanoseconds: UInt64) {
        reads.increment()
        readDuration.observe(nanoseconds: Int64(clamping: nanoseconds))
    }

    func readFailed() { readFailures.increment() }
}
