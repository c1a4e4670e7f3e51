internal import AppStoreModel
internal import EntitlementRules
package import JSON

extension Standing {
    /// The state in one line, such as `ACTIVE until 2026-12-01T00:00:00Z: pro`.
    package var line: String {
        var line = state
        if let until { line += " until \(Self.seconds(until))" }
        if let units { line += ": \(units) units of \(productId)" }
        if !entitlements.isEmpty {
            line += isEntitled ? ": " : ": no "
            line += entitlements.joined(separator: ", ")
        }
        if isEntitled, willRenew == false { line += " (renewal is off)" }
        return line
    }

    /// The rule that determined the state, in one sentence.
    package var explanation: String {
        var text = rule.explanation(until: until.map(Self.seconds))
        if let intent = expirationIntent?.explanation { text += " (\(intent))" }
        return text
    }

    package var json: JSONObject {
        var object: JSONObject = [
            StoryName.state: .string(state), StoryName.isEntitled: .bool(isEntitled),
            StoryName.entitlements: .array(entitlements.map { .string($0) }), StoryName.rule: .string(rule.rawValue),
            StoryName.explanation: .string(explanation), StoryName.productId: .string(productId.rawValue),
            StoryName.transactionId: .string(transactionId.rawValue),
        ]
        if let until { object[StoryName.until] = .string(until.description) }
        if let willRenew { object[StoryName.willRenew] = .bool(willRenew) }
        if let expirationIntent { object[StoryName.expirationIntent] = .integer(Int64(expirationIntent.rawValue)) }
        if let units { object[StoryName.units] = .integer(units) }
        return object
    }

    static func seconds(_ instant: AppStoreInstant) -> String { String(instant.description.prefix(19)) + "Z" }
}

extension ExpirationIntent {
    /// The reason why the subscription expired, in Apple's terms.
    fileprivate var explanation: String? {
        switch self {
        case .customerCancelled: "the customer cancelled"
        case .billingError: "billing error"
        case .noConsentToPriceIncrease: "the customer did not consent to a price increase"
        case .productNotAvailable: "the product was not available"
        default: nil
        }
    }
}
