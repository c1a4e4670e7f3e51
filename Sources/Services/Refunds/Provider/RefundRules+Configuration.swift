package import Configuration
internal import FoundationEssentials
package import RefundRules

extension RefundRules {
    /// Reads the rules from the file named by `refunds.rules`, or uses ``none`` if the setting is not set.
    ///
    /// - Throws: a `ConfigurationError` that contains the file, the line and the member.
    package init(_ configuration: Configuration) throws(ConfigurationError) {
        guard let path = configuration[RefundsSettings.rules] else {
            self = .none
            return
        }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw configuration.error(RefundsSettings.rules.key, "\(path) cannot be read.")
        }
        do throws(RefundInputError) {
            try self.init(json: Array(bytes), name: path)
        } catch {
            throw configuration.error(RefundsSettings.rules.key, "\(error).")
        }
    }
}
