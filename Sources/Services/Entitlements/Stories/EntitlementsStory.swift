package import Configuration
internal import EntitlementRules
internal import KeyedState
internal import PipelineRuntime
package import Story

/// The rules that a story uses to replay this service's decisions.
package enum EntitlementsStory {
    /// The settings that affect decisions, in addition to apps, roots and the App Store Server API.
    package static let schema = ConfigurationSchema([
        EntitlementsSettings.products, EntitlementsSettings.renewalLeeway, EntitlementsSettings.outageLeeway,
        EntitlementsSettings.graceFallback, EntitlementsSettings.staleTolerance, EntitlementsSettings.legacyTrust,
        EntitlementsSettings.appLegacyTrust,
    ])

    /// - Throws: a `ConfigurationError` if the products, apps or credentials are unusable.
    package static func model(_ configuration: Configuration) throws(ConfigurationError) -> StoryModel {
        StoryModel(rules: try ProductRules(configuration)) { record, environment in
            switch FactsReading.read(record, environment: environment) {
            case .state(let facts): return .facts(facts)
            case .verdict(.deadLetter(let reason)): return .deadLettered(reason.code, reason.detail)
            case .verdict(.skip(let reason)): return .skipped(reason.code)
            case .verdict: return .skipped("nothing_to_merge")
            }
        }
    }
}
