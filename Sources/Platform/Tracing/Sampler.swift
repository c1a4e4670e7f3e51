package import Telemetry

/// Decides which traces are recorded. Sources: OpenTelemetry, "SDK environment variables", `OTEL_TRACES_SAMPLER`;
/// "Trace SDK", "Sampling".
package struct Sampler: Sendable, Equatable {
    /// The values of `OTEL_TRACES_SAMPLER`.
    package enum Kind: String, Sendable, CaseIterable {
        case alwaysOn = "always_on"
        case alwaysOff = "always_off"
        case ratio = "traceidratio"
        case parentAlwaysOn = "parentbased_always_on"
        case parentAlwaysOff = "parentbased_always_off"
        case parentRatio = "parentbased_traceidratio"
    }

    private let followsParent: Bool
    /// A trace is recorded if the number taken from its id is below this threshold.
    private let threshold: UInt64

    /// - Parameter ratio: the fraction of traces to record, from 0 to 1. Kinds without a ratio ignore it.
    package init(_ kind: Kind, ratio: Double = 1) {
        switch kind {
        case .parentAlwaysOn, .parentAlwaysOff, .parentRatio: followsParent = true
        case .alwaysOn, .alwaysOff, .ratio: followsParent = false
        }
        switch kind {
        case .alwaysOn, .parentAlwaysOn: threshold = Self.all
        case .alwaysOff, .parentAlwaysOff: threshold = 0
        case .ratio, .parentRatio: threshold = Self.threshold(ratio)
        }
    }

    /// Returns whether a trace is recorded.
    ///
    /// - Parameters:
    ///   - traceIdLow: the last 8 bytes of the trace id. With a sampling ratio, all processes make the same decision
    ///     for a trace: OpenTelemetry SDKs for other languages also compare the upper 63 bits.
    ///   - parent: the caller's span, or nil if there is none or its sampling decision is to be ignored.
    package func isSampled(traceIdLow: UInt64, parent: TraceParent?) -> Bool {
        if followsParent, let parent { return parent.isSampled }
        return traceIdLow >> 1 < threshold
    }

    private static let all: UInt64 = 1 << 63

    private static func threshold(_ ratio: Double) -> UInt64 {
        // If the ratio is NaN, nothing is recorded.
        guard ratio > 0 else { return 0 }
        return ratio >= 1 ? all : UInt64(ratio * 0x1p63)
    }
}
