import Telemetry
import Testing
import Tracing

/// Source: OpenTelemetry, "Trace SDK", "Sampling".
@Suite struct SamplerTests {
    private static let recorded = TraceParent.parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    private static let unrecorded = TraceParent.parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")

    @Test(arguments: [
        (Sampler.Kind.alwaysOn, true, true, true), (.alwaysOff, false, false, false),
        (.parentAlwaysOn, true, true, false), (.parentAlwaysOff, false, true, false),
    ])
    func `each sampler decides about roots and children`(
        kind: Sampler.Kind, root: Bool, ofRecorded: Bool, ofUnrecorded: Bool
    ) {
        let sampler = Sampler(kind)
        #expect(sampler.isSampled(traceIdLow: 1, parent: nil) == root)
        #expect(sampler.isSampled(traceIdLow: 1, parent: Self.recorded) == ofRecorded)
        #expect(sampler.isSampled(traceIdLow: 1, parent: Self.unrecorded) == ofUnrecorded)
    }

    @Test func `a ratio compares the upper 63 bits of the last 8 bytes, as other SDKs do`() {
        let sampler = Sampler(.ratio, ratio: 0.25)
        #expect(sampler.isSampled(traceIdLow: 0x3FFF_FFFF_FFFF_FFFF, parent: nil))
        #expect(!sampler.isSampled(traceIdLow: 0x4000_0000_0000_0000, parent: nil))
        #expect(!sampler.isSampled(traceIdLow: .max, parent: nil))
    }

    @Test(arguments: [(0.0, false), (-1, false), (.nan, false), (1, true), (2, true)])
    func `ratios at or beyond the limits record nothing or everything`(ratio: Double, isSampled: Bool) {
        let sampler = Sampler(.parentRatio, ratio: ratio)
        #expect(sampler.isSampled(traceIdLow: 0, parent: nil) == isSampled)
        #expect(sampler.isSampled(traceIdLow: .max, parent: nil) == isSampled)
    }
}
