import AppStoreModel
import Configuration
import EntitlementRules
import Records
import Telemetry
import TestSupport
import Testing

@testable import Entitlements

/// The plan derived from `legacy.trust`, with and without credentials for the App Store Server API.
@Suite struct LegacyTrustPlanTests {
    private let app = BundleId("com.example")

    private func plan(_ policy: String?, _ settings: [String]) throws -> LegacyTrustPlan {
        try LegacyTrustPlan(configuration(settings + (policy.map { ["--legacy.trust", $0] } ?? [])))
    }

    @Test func `without credentials the configured policy applies, and the default is confirm`() throws {
        let settings = SimulatedAppStore.app
        #expect(try plan(nil, settings).rules[app] == .confirm)
        for policy in LegacyTrust.allCases {
            let plan = try plan(policy.rawValue, settings)
            #expect(plan.rules[app] == policy && plan.confirmedApps.isEmpty)
        }
    }

    @Test func `with credentials accept becomes confirm, and observe sends no queries`()
        async throws
    {
        let store = try SimulatedAppStore()
        for (policy, expected) in [("confirm", LegacyTrust.confirm), ("accept", .confirm), ("observe", .observe)] {
            let plan = try plan(policy, store.settings)
            #expect(plan.rules[app] == expected)
            #expect(plan.confirmedApps == (expected == .confirm ? [app] : []))
        }
        await store.stop()
    }

    @Test func `an app may have its own policy`() throws {
        let plan = try plan(
            "observe", ["--apps", "com.example:1,com.other:2", "--apps.com.other.legacy.trust", "accept"])
        #expect(plan.rules[app] == .observe && plan.rules[BundleId("com.other")] == .accept)
    }

    @Test func `startup logs the apps without confirmation, and the fix`() throws {
        let sink = MemoryLogSink()
        try plan("confirm", SimulatedAppStore.app)
            .log(to: Logger(label: "test", level: .info, format: .json, sink: sink))
        let line = try #require(sink.lines.first)
        #expect(sink.lines.count == 1)
        for text in ["cannot be confirmed", "com.example", "legacy.trust", "appstore.api.key.file"] {
            #expect(line.contains(text), "\(text)")
        }
    }

    @Test func `rows are republished when the policy or the confirmed apps change`() throws {
        func fingerprint(_ policy: LegacyTrust, _ apps: Set<BundleId> = []) -> String {
            EntitlementsModel(
                rules: ProductRules(legacyTrust: LegacyTrustRules(others: policy)), topics: .init(), confirmedApps: apps
            ).fingerprint
        }
        let all = LegacyTrust.allCases.map { fingerprint($0) } + [fingerprint(.confirm, [app])]
        #expect(Set(all).count == all.count)
    }
}
