import AppStoreModel
import CommandLine
import Configuration
import EntitlementRules
import PipelineRuntime
import TestSupport
import Testing

@testable import Entitlements

@Suite struct ProductRulesFileTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func rules(_ text: String) throws -> ProductRules {
        try ProductRules(configuration(["--products", directory.write(text, to: "products.json")]))
    }

    @Test func `without a file, a product grants the entitlement of its own name`() throws {
        let rules = try ProductRules(configuration([]))
        #expect(rules.products.isEmpty)
        #expect(rules.rule(for: ProductId("a")).entitlements == ["a"])
    }

    @Test func `settings determine the leeways of access, and a changed value republishes the rows`() throws {
        let rules = try ProductRules(
            configuration([
                "--entitlements.renewal.leeway", "2h", "--entitlements.grace.fallback", "16d",
                "--entitlements.stale.tolerance", "30m",
            ]))
        #expect(rules.subscriptions.renewalLeewayMilliseconds == 7_200_000)
        #expect(rules.subscriptions.graceFallbackMilliseconds == 16 * day)
        #expect(rules.subscriptions.staleToleranceMilliseconds == 1_800_000)
        #expect(try rules.fingerprint != ProductRules(configuration([])).fingerprint)
    }

    @Test func `a file defines the entitlements of each product`() throws {
        let rules = try rules(
            """
            {"products": {
              "pro.monthly": {"entitlements": ["pro", "cloud"]},
              "coins.100": {"units": 100},
              "season": {"entitlements": ["season"], "lengthDays": 90, "accumulation": "overlap"},
              "generic": {"skus": {"gold": {"entitlements": ["gold", "basic"]}}},
              "plain": {}
            }}
            """)
        #expect(
            rules.products == [
                ProductId("pro.monthly"): ProductRule(entitlements: ["pro", "cloud"]),
                ProductId("coins.100"): ProductRule(entitlements: ["coins.100"], units: 100),
                ProductId("season"): ProductRule(entitlements: ["season"], lengthDays: 90, accumulation: .overlap),
                ProductId("generic"): ProductRule(entitlements: ["generic"], skus: ["gold": ["gold", "basic"]]),
                ProductId("plain"): ProductRule(entitlements: ["plain"]),
            ])
    }

    @Test func `a configuration check reads the file and the Kafka properties`() throws {
        let file = try directory.write(#"{"products":{"a":{"units":-1}}}"#, to: "wrong.json")
        let error = #expect(throws: ConfigurationError.self) {
            try EntitlementsSettings.check(configuration(["--products", file]))
        }
        #expect(error?.key == "products")
        #expect(error?.message.contains("a.units: expected a nonnegative integer") == true)
        #expect(throws: ConfigurationError.self) {
            try EntitlementsSettings.check(configuration(["--kafka.no.such.property", "1"]))
        }
        let good = try directory.write(#"{"products":{"a":{"units":1}}}"#, to: "good.json")
        try EntitlementsSettings.check(configuration(["--products", good]))
    }

    @Test func `a file need not name any product`() throws {
        #expect(try rules(#"{"products":{}}"#).products.isEmpty)
    }

    @Test(arguments: [
        ("", "is not JSON"),
        ("[]", "expected an object with a single member named products"),
        (#"{"products":[]}"#, "expected an object with a single member named products"),
        (#"{"products":{},"more":1}"#, "expected an object with a single member named products"),
        (#"{"products":{},"products":{}}"#, "is not JSON"),
        (#"{"products":{"a":{},"a":{}}}"#, "is not JSON"),
        (#"{"products":{"a":1}}"#, "a: expected an object"),
        (#"{"products":{"":{}}}"#, "a product has an invalid name"),
        (#"{"products":{"a":{"entitlement":["x"]}}}"#, "a: unknown member entitlement"),
        (#"{"products":{"a":{"entitlements":"x"}}}"#, "a.entitlements: expected a list of unique names"),
        (#"{"products":{"a":{"entitlements":[]}}}"#, "a.entitlements: expected a list of unique names"),
        (#"{"products":{"a":{"entitlements":["x",1]}}}"#, "a.entitlements: expected a list of unique names"),
        (#"{"products":{"a":{"entitlements":["x","x"]}}}"#, "a.entitlements: expected a list of unique names"),
        (#"{"products":{"a":{"entitlements":[""]}}}"#, "a.entitlements: expected a list of unique names"),
        (#"{"products":{"a":{"units":-1}}}"#, "a.units: expected a nonnegative integer"),
        (#"{"products":{"a":{"units":1.5}}}"#, "a.units: expected a nonnegative integer"),
        (#"{"products":{"a":{"units":1e300}}}"#, "a.units: expected a nonnegative integer"),
        (#"{"products":{"a":{"lengthDays":0}}}"#, "a.lengthDays: expected a number of days from 1 to 36525"),
        (#"{"products":{"a":{"lengthDays":36526}}}"#, "a.lengthDays: expected"),
        (#"{"products":{"a":{"skus":[]}}}"#, "a.skus: expected an object with a member for each SKU"),
        (
            #"{"products":{"a":{"skus":{"gold":{}}}}}"#,
            "a.skus.gold: expected an object with a single member named entitlements"
        ),
        (
            #"{"products":{"a":{"skus":{"gold":{"entitlements":["x","x"]}}}}}"#,
            "a.skus.gold.entitlements: expected a list of unique names"
        ),
        (#"{"products":{"a":{"accumulation":"add"}}}"#, "a.accumulation: expected extend or overlap"),
    ])
    func `an invalid file is rejected with its name and the member`(text: String, message: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try rules(text) }
        #expect(error?.key == "products")
        #expect(error?.message.contains(message) == true)
        #expect(error?.message.contains("products.json") == true)
        #expect(error?.exitCode == 78)
    }

    @Test func `a missing file is reported when the configuration is read`() throws {
        let outcome = EntitlementsApplication.application.command.parse(
            ["--products", directory.path + "/none.json"], environment: [:])
        guard case .refuse(let lines, let exitCode) = outcome else {
            Issue.record("accepted")
            return
        }
        #expect(exitCode == 78)
        #expect(lines.first?.contains("products") == true)
    }
}

struct NoConfiguration: Error {}

/// Returns the configuration of a command line.
func configuration(_ arguments: [String], environment: [String: String] = [:]) throws -> Configuration {
    guard
        case .run(let invocation) = EntitlementsApplication.application.command.parse(
            arguments, environment: environment)
    else { throw NoConfiguration() }
    return invocation.configuration
}
