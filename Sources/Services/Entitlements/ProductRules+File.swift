internal import AppStoreModel
internal import Configuration
internal import EntitlementRules
internal import FoundationEssentials
internal import JSON
internal import Primitives

extension ProductRules {
    /// Reads the subscription settings and the file named by `products`:
    ///
    /// ```json
    /// {"products": {
    ///   "com.example.pro.monthly": {"entitlements": ["pro"]},
    ///   "com.example.coins.100": {"units": 100},
    ///   "com.example.season": {"entitlements": ["season"], "lengthDays": 90, "accumulation": "extend"},
    ///   "com.example.generic": {"skus": {"gold": {"entitlements": ["gold"]}}}
    /// }}
    /// ```
    ///
    /// - Throws: a ``ConfigurationError`` that names the file, the product and the member.
    init(_ configuration: Configuration) throws(ConfigurationError) {
        self.init()
        subscriptions.renewalLeewayMilliseconds = configuration[EntitlementsSettings.renewalLeeway].clampedMilliseconds
        subscriptions.outageLeewayMilliseconds = configuration[EntitlementsSettings.outageLeeway].clampedMilliseconds
        subscriptions.graceFallbackMilliseconds = configuration[EntitlementsSettings.graceFallback].clampedMilliseconds
        subscriptions.staleToleranceMilliseconds =
            configuration[EntitlementsSettings.staleTolerance].clampedMilliseconds
        legacyTrust = try LegacyTrustPlan(configuration).rules
        guard let path = configuration[EntitlementsSettings.products] else { return }
        func refuse(_ message: String) -> ConfigurationError {
            configuration.error(EntitlementsSettings.products.key, "\(path): \(message)")
        }
        guard let bytes = FileManager.default.contents(atPath: path) else { throw refuse("cannot be read.") }
        let value: JSONValue
        do { value = try JSONValue(json: Array(bytes)) } catch { throw refuse("is not JSON: \(error).") }
        guard let members = value.object?["products"]?.object, value.object?.names == ["products"] else {
            throw refuse("expected an object with a single member named products.")
        }
        for member in members.members {
            guard BoundedText.accepts(member.name) else { throw refuse("a product has an invalid name.") }
            products[ProductId(member.name)] = try Self.rule(member.name, member.value, refuse)
        }
    }

    private static func rule(
        _ product: String, _ value: JSONValue, _ refuse: (String) -> ConfigurationError
    ) throws(ConfigurationError) -> ProductRule {
        guard let object = value.object else { throw refuse("\(product): expected an object.") }
        var rule = ProductRule(entitlements: [product])
        for member in object.members {
            switch member.name {
            case "entitlements":
                rule.entitlements = try names(member.value, of: product, refuse)
            case "units":
                guard let units = member.value.integer, units >= 0 else {
                    throw refuse("\(product).units: expected a nonnegative integer.")
                }
                rule.units = units
            case "lengthDays":
                guard let days = member.value.integer, (1...36_525).contains(days) else {
                    throw refuse("\(product).lengthDays: expected a number of days from 1 to 36525.")
                }
                rule.lengthDays = days
            case "accumulation":
                guard let accumulation = member.value.string.flatMap(ProductRule.Accumulation.init) else {
                    throw refuse("\(product).accumulation: expected extend or overlap.")
                }
                rule.accumulation = accumulation
            case "skus":
                rule.skus = try skus(member.value, of: product, refuse)
            default:
                throw refuse("\(product): unknown member \(member.name).")
            }
        }
        return rule
    }

    private static func names(
        _ value: JSONValue, of subject: String, _ refuse: (String) -> ConfigurationError
    ) throws(ConfigurationError) -> [String] {
        let names = value.array?.compactMap(\.string).filter(BoundedText.accepts)
        guard let names, !names.isEmpty, names.count == value.array?.count, Set(names).count == names.count else {
            throw refuse("\(subject).entitlements: expected a list of unique names.")
        }
        return names
    }

    /// Reads the rules for Advanced Commerce items, which are all sold under the same product.
    private static func skus(
        _ value: JSONValue, of product: String, _ refuse: (String) -> ConfigurationError
    ) throws(ConfigurationError) -> [String: [String]] {
        guard let members = value.object?.members, !members.isEmpty else {
            throw refuse("\(product).skus: expected an object with a member for each SKU.")
        }
        var skus: [String: [String]] = [:]
        for member in members {
            guard BoundedText.accepts(member.name) else { throw refuse("\(product).skus: an SKU has an invalid name.") }
            guard let rule = member.value.object, rule.names == ["entitlements"], let list = rule["entitlements"] else {
                throw refuse(
                    "\(product).skus.\(member.name): expected an object with a single member named entitlements.")
            }
            skus[member.name] = try names(list, of: "\(product).skus.\(member.name)", refuse)
        }
        return skus
    }
}

extension ProductRules {
    /// Version of the published answer format. Changing it republishes every row.
    private static let publishedForm = 3

    /// Identifies the rules. Changes whenever the published answer for the same facts may differ.
    var fingerprint: String {
        let rules = products.sorted { $0.key.rawValue < $1.key.rawValue }.map { product, rule in
            // Dictionary order differs between processes.
            let skus = rule.skus.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return "\(product.rawValue)=\(rule.entitlements),\(rule.units),\(rule.lengthDays ?? 0),"
                + "\(rule.accumulation.rawValue),\(skus)"
        }
        let trust = legacyTrust.apps.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.rawValue)" }
        return "\(Self.publishedForm);\(subscriptions);\(rules.joined(separator: ";"));"
            + "legacy=\(legacyTrust.others.rawValue);\(trust.joined(separator: ";"))"
    }
}
