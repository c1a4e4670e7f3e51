internal import Synchronization

/// All metrics of a process, and their text for Prometheus.
///
/// Metrics are registered once, with all label values, when a service is built; the handles are then used without the
/// registry. Registering the same name and labels again returns the same metric.
public final class MetricsRegistry: Sendable {
    private let shared: Shared
    /// Labels of every metric that is registered here.
    private let ownLabels: [MetricLabel]

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    private struct State {
        var families: [String: Family] = [:]
        var samplers: [(labels: [MetricLabel], sample: @Sendable (inout MetricSamples) -> Void)] = []
    }

    struct Family {
        let kind: MetricKind
        let help: String
        var children: [[MetricLabel]: Child] = [:]
    }

    enum Child {
        case counter(Counter)
        case gauge(Gauge)
        case histogram(Histogram)
    }

    public convenience init() { self.init(Shared(), ownLabels: []) }

    private init(_ shared: Shared, ownLabels: [MetricLabel]) {
        self.shared = shared
        self.ownLabels = ownLabels
    }

    /// A registry over the same metrics, for a part of the process that is there several times: metrics that are
    /// registered through it have the labels too.
    public func labelled(_ labels: [MetricLabel]) -> MetricsRegistry {
        MetricsRegistry(shared, ownLabels: ownLabels + labels)
    }

    /// A count that only grows.
    ///
    /// - Parameters:
    ///   - name: with the unit, ending in `_total`: `sluice_ingress_requests_total`.
    ///   - help: one sentence.
    ///   - labels: of this time series; the same label names for every series of a name.
    public func counter(_ name: String, help: String, labels: [MetricLabel] = []) -> Counter {
        let child = register(name, .counter, help, labels) { .counter(Counter(cell: AtomicCell())) }
        guard case .counter(let counter) = child else { fatalMismatch(name) }
        return counter
    }

    /// Counters that differ in one label, for a closed set of its values; all begin at 0, and `other` is added.
    public func counters(
        _ name: String, help: String, label: String, values: some Sequence<String>, labels: [MetricLabel] = []
    ) -> LabelledCounters {
        var counters: [String: Counter] = [:]
        for value in values {
            counters[value] = counter(name, help: help, labels: labels + [MetricLabel(label, value)])
        }
        let other = counter(name, help: help, labels: labels + [MetricLabel(label, "other")])
        return LabelledCounters(counters: counters, other: other)
    }

    /// A number that goes up and down.
    public func gauge(_ name: String, help: String, labels: [MetricLabel] = []) -> Gauge {
        let child = register(name, .gauge, help, labels) { .gauge(Gauge(cell: AtomicCell())) }
        guard case .gauge(let gauge) = child else { fatalMismatch(name) }
        return gauge
    }

    /// A distribution.
    ///
    /// - Parameter buckets: upper bounds, ascending and finite, without infinity.
    public func histogram(
        _ name: String, help: String, labels: [MetricLabel] = [], buckets: [Double] = Histogram.secondsBuckets
    ) -> Histogram {
        // Our bug: bounds are constants of the program.
        precondition(zip(buckets, buckets.dropFirst()).allSatisfy(<) && buckets.allSatisfy(\.isFinite))
        let child = register(name, .histogram, help, labels) { .histogram(Histogram(buckets: buckets)) }
        guard case .histogram(let histogram) = child else { fatalMismatch(name) }
        return histogram
    }

    /// Adds values that are asked for when the metrics are read, for numbers that something else keeps.
    ///
    /// The closure runs on the thread that reads the metrics; it must be quick and must not wait.
    public func collect(_ sampler: @escaping @Sendable (inout MetricSamples) -> Void) {
        shared.state.withLock { $0.samplers.append((ownLabels, sampler)) }
    }

    /// The constant 1 with the build in its labels: `sluice_build_info{version="…"} 1`.
    public func buildInfo(_ name: String, labels: [MetricLabel]) {
        gauge(name, help: "What is running: the value is always 1.", labels: labels).set(1)
    }

    /// The text format 0.0.4; its content type is ``prometheusContentType``.
    public func prometheusText() -> [UInt8] {
        let (families, samplers) = shared.state.withLock { ($0.families, $0.samplers) }
        var samples = MetricSamples(families: families)
        for sampler in samplers {
            samples.ownLabels = sampler.labels
            sampler.sample(&samples)
        }
        return PrometheusText.render(samples.families)
    }

    /// `Content-Type` of ``prometheusText()``.
    public static let prometheusContentType: StaticString = "text/plain; version=0.0.4; charset=utf-8"

    private func register(
        _ name: String, _ kind: MetricKind, _ help: String, _ labels: [MetricLabel], _ make: () -> Child
    ) -> Child {
        // Our bug: names and labels are constants of the program.
        precondition(
            MetricName.isValid(name) && (labels + ownLabels).allSatisfy { MetricName.isValidLabel($0.name) })
        let sorted = (labels + ownLabels).sorted { $0.name < $1.name }
        return shared.state.withLock { state in
            if let child = state.families[name]?.children[sorted] { return child }
            let child = make()
            state.families[name, default: Family(kind: kind, help: help)].children[sorted] = child
            return child
        }
    }

    private func fatalMismatch(_ name: String) -> Never {
        // Our bug: one name was registered with two types.
        preconditionFailure("\(name) has another type")
    }
}

/// What Prometheus calls the type of a metric.
enum MetricKind: String {
    case counter, gauge, histogram
}

/// Values that are sampled when the metrics are read.
public struct MetricSamples {
    struct SampledFamily {
        let kind: MetricKind
        let help: String
        var values: [(labels: [MetricLabel], value: SampledValue)]
    }

    enum SampledValue {
        case number(Double)
        case count(UInt64)
        case histogram(buckets: [Double], counts: [UInt64], sum: Double)
    }

    private(set) var families: [String: SampledFamily]
    /// Labels of everything that the present sampler adds.
    fileprivate(set) var ownLabels: [MetricLabel] = []

    init(families: [String: MetricsRegistry.Family]) {
        self.families = families.mapValues { family in
            let values = family.children.map { labels, child in (labels, Self.value(child)) }
            return SampledFamily(kind: family.kind, help: family.help, values: values)
        }
    }

    /// Adds the present value of a gauge.
    public mutating func gauge(_ name: String, help: String, labels: [MetricLabel] = [], _ value: Double) {
        add(name, .gauge, help, labels, .number(value))
    }

    /// Adds the present value of a counter; the name ends in `_total`.
    public mutating func counter(_ name: String, help: String, labels: [MetricLabel] = [], _ value: UInt64) {
        add(name, .counter, help, labels, .count(value))
    }

    /// Adds the present value of a counter that is not a whole number, such as seconds; the name ends in `_total`.
    public mutating func counter(_ name: String, help: String, labels: [MetricLabel] = [], seconds: Double) {
        add(name, .counter, help, labels, .number(seconds))
    }

    private mutating func add(
        _ name: String, _ kind: MetricKind, _ help: String, _ labels: [MetricLabel], _ value: SampledValue
    ) {
        // A sample with a wrong name would make the whole text unreadable: it is left out.
        guard MetricName.isValid(name), labels.allSatisfy({ MetricName.isValidLabel($0.name) }),
            families[name].map({ $0.kind == kind }) ?? true
        else { return }
        let sorted = (labels + ownLabels).sorted { $0.name < $1.name }
        var family = families[name] ?? SampledFamily(kind: kind, help: help, values: [])
        family.values.removeAll { $0.labels == sorted }
        family.values.append((sorted, value))
        families[name] = family
    }

    private static func value(_ child: MetricsRegistry.Child) -> SampledValue {
        switch child {
        case .counter(let counter): .count(counter.value)
        case .gauge(let gauge): .number(gauge.value)
        case .histogram(let histogram):
            .histogram(
                buckets: histogram.buckets, counts: histogram.counts.map { $0.value.load(ordering: .relaxed) },
                sum: Double(bitPattern: histogram.sum.value.load(ordering: .relaxed)))
        }
    }
}
