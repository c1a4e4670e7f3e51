import Foundation
import TestSupport
import Testing

@testable import Telemetry

@Suite struct MetricsTests {
    private func text(_ registry: MetricsRegistry) -> String {
        String(decoding: registry.prometheusText(), as: UTF8.self)
    }

    @Test func `counters, gauges and histograms are written in the Prometheus format`() {
        let registry = MetricsRegistry()
        let ok = registry.counter("a_total", help: "Requests.", labels: [.init("status", "200"), .init("app", "x")])
        registry.counter("a_total", help: "Requests.", labels: [.init("status", "400"), .init("app", "x")]).increment()
        ok.increment()
        ok.increment(by: 41)
        let gauge = registry.gauge("b_bytes", help: "In flight.")
        gauge.set(7)
        gauge.add(-2.5)
        let histogram = registry.histogram("c_seconds", help: "Time.", labels: [.init("q", "v")], buckets: [0.1, 1])
        for value in [0.05, 0.1, 0.5, 1, 3, .nan] { histogram.observe(value) }
        histogram.observe(nanoseconds: 350_000_000)
        #expect(
            text(registry)
                == """
                # HELP a_total Requests.
                # TYPE a_total counter
                a_total{app="x",status="200"} 42
                a_total{app="x",status="400"} 1
                # HELP b_bytes In flight.
                # TYPE b_bytes gauge
                b_bytes 4.5
                # HELP c_seconds Time.
                # TYPE c_seconds histogram
                c_seconds_bucket{q="v",le="0.1"} 2
                c_seconds_bucket{q="v",le="1"} 5
                c_seconds_bucket{q="v",le="+Inf"} 6
                c_seconds_sum{q="v"} 5.0
                c_seconds_count{q="v"} 6

                """.replacing("5.0\n", with: "5\n"))
    }

    @Test func `special characters are escaped`() {
        let registry = MetricsRegistry()
        _ = registry.counter("a_total", help: "Back\\slash\nline \"q\"", labels: [.init("l", "\"\\\n")])
        #expect(text(registry).contains("# HELP a_total Back\\\\slash\\nline \"q\"\n"))
        #expect(text(registry).contains("a_total{l=\"\\\"\\\\\\n\"} 0\n"))
    }

    @Test func `metrics with the same name and labels are one metric`() {
        let registry = MetricsRegistry()
        registry.counter("a_total", help: "h", labels: [.init("x", "1"), .init("y", "2")]).increment()
        let again = registry.counter("a_total", help: "h", labels: [.init("y", "2"), .init("x", "1")])
        #expect(again.value == 1)
    }

    @Test func `values outside the closed set are counted as other`() {
        let registry = MetricsRegistry()
        let refusals = registry.counters("r_total", help: "h", label: "reason", values: ["a", "b"])
        refusals["a"].increment()
        for number in 0..<100 { refusals["\(number)"].increment() }
        #expect(text(registry).contains("r_total{reason=\"other\"} 100\n"))
        #expect(text(registry).split(separator: "\n").count == 5)
    }

    @Test func `samplers are called when the text is written`() {
        let registry = MetricsRegistry()
        let time = TestTime()
        registry.collect { samples in
            samples.gauge("s", help: "h", Double(time.milliseconds))
            samples.counter("t_total", help: "h", labels: [.init("x", "y")], 3)
            samples.gauge("not a name", help: "h", 1)
        }
        time.milliseconds = 5
        #expect(text(registry).contains("s 5\n"))
        #expect(text(registry).contains("t_total{x=\"y\"} 3\n"))
        #expect(!text(registry).contains("not a name"))
    }

    @Test func `increments from many threads are all counted`() async {
        let registry = MetricsRegistry()
        let counter = registry.counter("a_total", help: "h")
        let histogram = registry.histogram("b", help: "h", buckets: [1])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<5_000 {
                        counter.increment()
                        histogram.observe(0.5)
                    }
                }
            }
        }
        #expect(counter.value == 20_000)
        #expect(text(registry).contains("b_sum 10000\nb_count 20000\n"))
    }

    @Test func `the process metrics are written`() throws {
        let registry = MetricsRegistry()
        registry.collectProcessMetrics()
        let text = text(registry)
        for name in [
            "process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds",
            "process_start_time_seconds", "process_max_fds",
        ] {
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("\(name) ") })
            let value = try #require(Double(line.split(separator: " ")[1]))
            #expect(value > 0 || name == "process_cpu_seconds_total")
        }
    }

    @Test func `a program's name may contain any characters`() throws {
        let fields = (1...30).map(String.init).joined(separator: " ")
        let snapshot = try #require(
            ProcessSnapshot(
                stat: "1 (a) b) 1) S \(fields)\n", bootTimeSeconds: 100, ticksPerSecond: 10, pageBytes: 4_096))
        #expect(snapshot.cpuSeconds == (11.0 + 12.0) / 10)
        #expect(snapshot.startTimeSeconds == 100 + 19.0 / 10)
        #expect(snapshot.residentBytes == 21 * 4_096)
        for text in ["", ")", "1 (a) S", "1 (a) S x y"] {
            #expect(ProcessSnapshot(stat: text, bootTimeSeconds: 0, ticksPerSecond: 100, pageBytes: 1) == nil)
        }
    }

    @Test(.enabled(if: Promtool.isInstalled, "\(Promtool.absence)"))
    func `promtool accepts the text without findings`() async throws {
        let registry = MetricsRegistry()
        registry.collectProcessMetrics()
        registry.buildInfo("sluice_build_info", labels: [.init("version", "1.0")])
        registry.counter("sluice_requests_total", help: "Requests.", labels: [.init("status", "\"\\\n")]).increment()
        registry.gauge("sluice_in_flight_bytes", help: "In flight.").set(0.25)
        registry.histogram("sluice_request_seconds", help: "Time of a request.").observe(0.2)
        #expect(try await Promtool.complaints(about: registry.prometheusText()) == "")
    }

    @Test func `metrics of repeated components have labels`() {
        let registry = MetricsRegistry()
        let crm = registry.labelled([MetricLabel("receiver", "crm")])
        let billing = registry.labelled([MetricLabel("receiver", "billing")])
        crm.counter("a_total", help: "Requests.", labels: [.init("status", "200")]).increment()
        billing.counter("a_total", help: "Requests.", labels: [.init("status", "200")]).increment(by: 2)
        crm.collect { $0.gauge("b_bytes", help: "In flight.", 1) }
        billing.collect { $0.gauge("b_bytes", help: "In flight.", 2) }
        registry.collect { $0.gauge("c_bytes", help: "Of the process.", 3) }
        #expect(
            text(registry)
                == """
                # HELP a_total Requests.
                # TYPE a_total counter
                a_total{receiver="billing",status="200"} 2
                a_total{receiver="crm",status="200"} 1
                # HELP b_bytes In flight.
                # TYPE b_bytes gauge
                b_bytes{receiver="billing"} 2
                b_bytes{receiver="crm"} 1
                # HELP c_bytes Of the process.
                # TYPE c_bytes gauge
                c_bytes 3

                """)
    }
}
