import Testing

@testable import Sluicectl

/// Parsing of the text exposition format (https://prometheus.io/docs/instrumenting/exposition_formats/).
struct MetricsPageTests {
    private func page(_ text: String) -> MetricsPage { MetricsPage(Array(text.utf8)) }

    @Test func `samples have names, labels and values`() {
        let page = page(
            """
            # HELP http_requests_total The total number of HTTP requests.
            # TYPE http_requests_total counter
            http_requests_total{method="post",code="200"} 1027 1395066363000
            http_requests_total{method="post",code="400"}    3 1395066363000
            metric_without_timestamp_and_labels 12.47

            """)
        #expect(page.samples.count == 3)
        #expect(page.samples.first?.labels == ["method": "post", "code": "200"])
        #expect(page.sum(of: "http_requests_total") == 1030)
        #expect(page.sums(of: "http_requests_total", by: "code") == ["200": 1027, "400": 3])
        #expect(page.maximum(of: "metric_without_timestamp_and_labels") == 12.47)
        #expect(page.sum(of: "http_requests") == nil)
    }

    @Test func `escaped characters in label values are parsed`() {
        let page = page(
            #"msdos_file_access_time_seconds{path="C:\\DIR\\FILE.TXT",error="Cannot find file:\n\"FILE.TXT\""} 1.458255915e9"#
        )
        #expect(page.samples.first?.labels["path"] == #"C:\DIR\FILE.TXT"#)
        #expect(page.samples.first?.labels["error"] == "Cannot find file:\n\"FILE.TXT\"")
        #expect(page.samples.first?.value == 1_458_255_915)
    }

    @Test(arguments: [
        "", "\n\n", "name", "{a=\"b\"} 1", "name{a=\"b\" 1", "name{a=b} 1", "name{a=\"b\\", "name{a", "name{} x",
        "name NaN", "name +Inf", "name{=", "#name 1", "<html>", "name{a=\"b\"}",
    ])
    func `malformed lines and values that are not finite are ignored`(text: String) {
        #expect(page(text).samples.isEmpty)
        #expect(page(text + "\nother 1\n").sum(of: "other") == 1)
    }
}
