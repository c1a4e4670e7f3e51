import AppStoreModel
import EntitlementRules
import JSON
import Records
import Telemetry
import Testing

@testable import Entitlements

/// Metrics of published purchases that operators depend on.
@Suite struct PublishedMetricsTests {
    private func text(of draft: Draft) throws -> String {
        let registry = MetricsRegistry()
        let model = EntitlementsModel(
            rules: ProductRules(), topics: TopicNames(), metrics: EntitlementsMetrics(registry))
        let facts = try draft.facts()
        _ = model.publication(of: facts, row: facts.jsonText, at: on(31))
        return String(decoding: registry.prometheusText(), as: UTF8.self)
    }

    @Test func `a grace period without an end is counted as a needed query to Apple`() throws {
        let grace = Draft(
            "DID_FAIL_TO_RENEW", "GRACE_PERIOD", signed: on(30), status: 4,
            transaction: period("1", from: on(0), to: on(30)),
            renewalInfo: renewal().with("isInBillingRetryPeriod", true))
        #expect(try text(of: grace).contains("\nsluice_entitlements_status_queries_needed_total 1\n"))
        #expect(try text(of: lifeOfOne()[1]).contains("\nsluice_entitlements_status_queries_needed_total 0\n"))
    }

    @Test func `a pass without a configured length is counted by its problem`() throws {
        let pass = Draft(
            "ONE_TIME_CHARGE", signed: on(30), status: nil,
            transaction: [
                "transactionId": "1", "productId": "season", "type": "Non-Renewing Subscription",
                "purchaseDate": .integer(on(30)),
            ])
        let metrics = try text(of: pass)
        #expect(metrics.contains(#"sluice_entitlements_reports_total{problem="length_not_configured"} 1"#))
        #expect(metrics.contains(#"sluice_entitlements_reports_total{problem="product_missing"} 0"#))
    }
}
