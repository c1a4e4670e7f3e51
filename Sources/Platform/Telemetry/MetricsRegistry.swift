internal import Synchronization

/// A registry for a process's metrics, which it exports as Prometheus text.
///
/// Metrics are registered once, with all label values, when a service is created. The returned handles do not access
/// the registry. Registering the same name and labels again returns the same metric.
public final class MetricsRegistry: Sendable {
    private let shared: Shared
    /// Labels added to every metric registered through this registry.
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

    /// Returns a registry that shares this registry's metrics and adds these labels to every metric registered through
    /// the new registry. Use it for a component with several instances in the process.
    public func labelled(_ labels: [MetricLabel]) -> MetricsRegistry {
        MetricsRegistry(shared, ownLabels: ownLabels + labels)
    }

    /// Registers a monotonic counter.
    ///
    /// - Parameters:
    ///   - name: the name with its unit, ending in `_total`, such as `sluice_ingress_requests_total`.
    ///   - help: a description of the metric, in one sentence.
    ///   - labels: the labels of this time series. All series with the same name must have the same label names.
    public func counter(_ name: String, help: String, labels: [MetricLabel] = []) -> Counter {
        let child = register(name, .counter, help, labels) { .counter(Counter(cell: AtomicCell())) }
        guard case .counter(let counter) = child else { fatalMismatch(name) }
        return counter
    }

    /// Registers a counter for each of a label's values, and one for the value `other`. All start at 0.
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

    /// Registers a gauge.
    public func gauge(_ name: String, help: String, labels: [MetricLabel] = []) -> Gauge {
        let child = register(name, .gauge, help, labels) { .gauge(Gauge(cell: AtomicCell())) }
        guard case .gauge(let gauge) = child else { fatalMismatch(name) }
        return gauge
    }

    /// Registers a histogram.
    ///
    /// - Parameter buckets: the finite upper bounds in ascending order, without infinity.
    public func histogram(
        _ name: String, help: String, labels: [MetricLabel] = [], buckets: [Double] = Histogram.secondsBuckets
    ) -> Histogram {
        // The bounds are constants in the code, so invalid bounds are a programming error.
        precondition(zip(buckets, buckets.dropFirst()).allSatisfy(<) && buckets.allSatisfy(\.isFinite))
        let child = register(name, .histogram, help, labels) { .histogram(Histogram(buckets: buckets)) }
        guard case .histogram(let histogram) = child else { fatalMismatch(name) }
        return histogram
    }

    /// Registers a closure that provides current values each time the metrics are read.
    ///
    /// The closure runs on the thread that reads the metrics, so it must be fast and must not block.
    public func collect(_ sampler: @escaping @Sendable (inout MetricSamples) -> Void) {
        shared.state.withLock { $0.samplers.append((ownLabels, sampler)) }
    }

    /// Registers a gauge with the constant value 1 and the build's properties as labels:
    /// `sluice_build_info{version="…"} 1`.
    public func buildInfo(_ name: String, labels: [MetricLabel]) {
        gauge(name, help: "Build information; the value is always 1.", labels: labels).set(1)
    }

    /// Returns all metrics in text format 0.0.4. The content type is ``prometheusContentType``.
    public func prometheusText() -> [UInt8] { PrometheusText.render(samples().families) }

    /// Returns the current values of all metrics.
    package func samples() -> MetricSamples {
        let (families, samplers) = shared.state.withLock { ($0.families, $0.samplers) }
        var samples = MetricSamples(families: families)
        for sampler in samplers {
            samples.ownLabels = sampler.labels
            sampler.sample(&samples)
        }
        return samples
    }

    /// The `Content-Type` of ``prometheusText()``.
    public static let prometheusContentType: StaticString = "text/plain; version=0.0.4; charset=utf-8"

    private func register(
        _ name: String, _ kind: MetricKind, _ help: String, _ labels: [MetricLabel], _ make: () -> Child
    ) -> Child {
        // Names and labels are constants in the code, so an invalid one is a programming error.
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
        // Registering one name with two types is a programming error.
        preconditionFailure("\(name) is already registered with a different type")
    }
}

/// A metric's Prometheus type.
package enum MetricKind: String, Sendable {
    case counter, gauge, histogram
}

/// The values that samplers provide while the metrics are read.
public struct MetricSamples {
    package struct SampledFamily {
        package let kind: MetricKind
        package let help: String
        package fileprivate(set) var values: [(labels: [MetricLabel], value: SampledValue)]
    }

    package enum SampledValue {
        case number(Double)
        case count(UInt64)
        /// The counts are not cumulative. The last one is the number of values above all buckets.
        case histogram(buckets: [Double], counts: [UInt64], sum: Double, exemplars: [Exemplar])
    }

    /// The families, keyed by name.
    package private(set) var families: [String: SampledFamily]
    /// Labels added to all samples of the current sampler.
    fileprivate(set) var ownLabels: [MetricLabel] = []

    init(families: [String: MetricsRegistry.Family]) {
        self.families = families.mapValues { family in
            let values = family.children.map { labels, child in (labels, Self.value(child)) }
            return SampledFamily(kind: family.kind, help: family.help, values: values)
        }
    }

    /// Adds a gauge's current value.
    public mutating func gauge(_ name: String, help: String, labels: [MetricLabel] = [], _ value: Double) {
        add(name, .gauge, help, labels, .number(value))
    }

    /// Adds a counter's current value. The name must end in `_total`.
    public mutating func counter(_ name: String, help: String, labels: [MetricLabel] = [], _ value: UInt64) {
        add(name, .counter, help, labels, .count(value))
    }

    /// Adds a fractional counter's current value, such as seconds. The name must end in `_total`.
    public mutating func counter(_ name: String, help: String, labels: [MetricLabel] = [], seconds: Double) {
        add(name, .counter, help, labels, .number(seconds))
    }

    private mutating func add(
        _ name: String, _ kind: MetricKind, _ help: String, _ labels: [MetricLabel], _ value: SampledValue
    ) {
        // A sample with an invalid name or a conflicting type is omitted, because it would make the whole text
        // unreadable.
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
                sum: Double(bitPattern: histogram.sum.value.load(ordering: .relaxed)),
                exemplars: histogram.exemplars.all)
        }
    }
}
