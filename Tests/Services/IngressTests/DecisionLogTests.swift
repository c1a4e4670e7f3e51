import Telemetry
import Testing

@testable import AppStoreVerification
@testable import HTTPServer
@testable import Ingress

@Suite struct DecisionLogTests {
    private let sink = MemoryLogSink()
    private let metrics = MetricsRegistry()
    private let log: DecisionLog

    init() {
        log = DecisionLog(
            Logger(label: "test", level: .info, format: .json, sink: sink), IngressMetrics(metrics))
    }

    private func decision(_ reason: String, _ status: Int) throws -> RequestOutcome {
        RequestOutcome(
            listener: 0, reason: reason, status: status, bodyBytes: 19_000,
            network: try #require(NetworkPrefix("192.0.2.0/24")), nanoseconds: 2_000_000)
    }

    private func has(_ line: String) -> Bool {
        String(decoding: metrics.prometheusText(), as: UTF8.self).split(separator: "\n").contains { $0 == line }
    }

    @Test func `an accepted notification is counted and not logged`() throws {
        for _ in 0..<10 { log.take(try decision("accepted", 200)) }
        log.take(try decision("duplicate", 200))
        #expect(sink.lines.isEmpty)
        #expect(has(#"sluice_ingress_decisions_total{reason="accepted",status="200"} 10"#))
        #expect(has(#"sluice_ingress_decisions_total{reason="duplicate",status="200"} 1"#))
    }

    @Test func `a refusal is logged in one line with reason, status, size and network`() throws {
        log.take(try decision("signature", 403))
        let line = try #require(sink.lines.first)
        for part in [
            #""level":"info""#, #""reason":"signature""#, #""status":403"#, #""bodyBytes":19000"#,
            #""network":"192.0.2.0/24""#,
        ] {
            #expect(line.contains(part), "\(line)")
        }
    }

    @Test func `a failure of the ingress is logged as a warning`() throws {
        log.take(try decision("kafka_timeout", 503))
        #expect(sink.lines.first?.contains(#""level":"warning""#) == true)
    }

    @Test func `each reason is logged a few times a second, and every refusal is counted`() throws {
        for _ in 0..<1_000 { log.take(try decision("json", 400)) }
        log.take(try decision("alg", 400))
        // The log window may roll over in between, which gives at most two windows.
        #expect((2...4).contains(sink.lines.filter { $0.contains(#""reason":"json""#) }.count))
        #expect(sink.lines.contains { $0.contains(#""reason":"alg""#) })
        #expect(has(#"sluice_ingress_decisions_total{reason="json",status="400"} 1000"#))
    }

    /// Every reason code of a response, or of an end without a response, except the two that need no operator.
    private static let reasons =
        Reason.allCases.map(\.rawValue) + [
            IngressReason.kafkaUnavailable, IngressReason.kafkaQueueFull, IngressReason.kafkaTimeout,
            IngressReason.kafkaSlow,
            IngressReason.kafkaRecordTooLarge, IngressReason.kafkaError,
            IngressReason.quarantineBudget, IngressReason.legacyDisabled,
            IngressReason.legacyPassword, IngressReason.legacyProfile,
        ] + [
            "path", "method", "framing", "proxy_header", "headers", "uri", "slow", "idle", "encoding",
            "expect", "aborted",
            "rate", "evicted", "overload", "memory", "deadline", "drain",
        ]

    @Test(arguments: reasons)
    func `every refusal is counted under its reason, and logged a few times a second`(_ reason: String) throws {
        for _ in 0..<100 { log.take(try decision(reason, 400)) }
        #expect(has(#"sluice_ingress_decisions_total{reason="\#(reason)",status="400"} 100"#))
        // The log window may roll over in between, which gives at most two windows.
        #expect((2...4).contains(sink.lines.count))
        for line in sink.lines { #expect(line.contains(#""reason":"\#(reason)""#), "\(line)") }
    }

    @Test func `no reason has two meanings`() {
        // The verifier shares `empty`, `too_large`, `sandbox`, `clock` and `internal` with the listener or ingress,
        // with the same meaning.
        #expect(Set(Self.reasons).count == Self.reasons.count)
        for reason in Self.reasons { #expect(reason.wholeMatch(of: /[a-z0-9_]+/) != nil, "\(reason)") }
    }

    private func unknownRoot(_ fingerprint: String?) -> Refusal {
        Refusal(.chainRoot, "", unknownRootFingerprint: fingerprint)
    }

    @Test func `an unknown root with Apple's extensions is logged with its fingerprint, a few times a second`() throws {
        for _ in 0..<1_000 { log.explain(unknownRoot("63343abf")) }
        #expect((2...4).contains(sink.lines.count))
        let line = try #require(sink.lines.first)
        for part in [
            #""level":"warning""#, #""reason":"chain_root""#, #""rootFingerprint":"63343abf""#, "root.certificates",
        ] {
            #expect(line.contains(part), "\(line)")
        }
    }

    @Test func `an untrusted chain without Apple's extensions is not logged as an unknown root`() {
        log.explain(unknownRoot(nil))
        #expect(sink.lines.isEmpty)
    }

    @Test func `only answered requests are included in the duration`() throws {
        log.take(try decision("idle", 0))
        log.take(try decision("json", 400))
        #expect(has("sluice_ingress_request_duration_seconds_count 1"))
        #expect(has(#"sluice_ingress_decisions_total{reason="idle",status="0"} 1"#))
    }
}
