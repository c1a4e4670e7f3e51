import OperatorEventsTestSupport
import Telemetry
import Testing

@testable import AppStoreVerification
@testable import Ingress

/// The operator events about precomputed key tables.
@Suite struct TableLogTests {
    private let recorded = RecordedEvents()

    private func take(_ event: FixedKeyEvent) {
        TableLog.take(
            event, Logger(label: "test", level: .error, format: .json, sink: MemoryLogSink()), recorded.events)
    }

    @Test func `a table that failed its test is an operator event`() {
        take(.testFailed(publicKey: [4, 255]))
        #expect(recorded.lines == [#"verification.table_fault {"reason":"self_test","publicKey":"04ff"}"#])
    }

    @Test func `a disagreement with OpenSSL is an operator event, and a table in use is not`() {
        take(.ready(publicKey: [4]))
        take(.unavailable("no prime field"))
        #expect(recorded.lines == [])
        take(.disagreement(FixedKeyDisagreement(digest: [1], signature: [2], publicKey: [4], isGoodByTable: true)))
        #expect(recorded.lines == [#"verification.table_fault {"reason":"disagreement","publicKey":"04"}"#])
    }
}
