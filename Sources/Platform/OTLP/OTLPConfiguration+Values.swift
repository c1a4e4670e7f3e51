internal import Configuration
internal import FoundationEssentials
internal import Tracing

/// Parses single values in the formats that OpenTelemetry specifies.
extension OTLPConfiguration {
    static func boolean(
        _ configuration: Configuration, _ setting: Setting<String>
    ) throws(ConfigurationError) -> Bool {
        switch configuration[setting].lowercased() {
        case "true": return true
        case "false": return false
        default: throw configuration.error(setting.key, "\"\(configuration[setting])\" must be true or false.")
        }
    }

    /// Returns whether an exporter is set to `otlp`.
    static func isOn(_ configuration: Configuration, _ setting: Setting<String>) throws(ConfigurationError) -> Bool {
        switch configuration[setting] {
        case "otlp": return true
        case "none": return false
        default: throw configuration.error(setting.key, "\"\(configuration[setting])\" must be otlp or none.")
        }
    }

    /// Parses milliseconds, or a duration with a unit, from 1 ms to a day.
    static func duration(
        _ configuration: Configuration, _ setting: Setting<String>
    ) throws(ConfigurationError) -> Duration {
        let text = configuration[setting]
        let duration = Int64(text).map { Duration.milliseconds(min(max($0, 0), 1 << 40)) } ?? DurationText.parse(text)
        guard let duration, duration >= .milliseconds(1), duration <= .seconds(86_400) else {
            throw configuration.error(
                setting.key, "\"\(text)\" must be a number of milliseconds or a duration such as 10s, from 1ms to 1d.")
        }
        return duration
    }

    static func count(_ configuration: Configuration, _ setting: Setting<String>) throws(ConfigurationError) -> Int {
        guard let count = Int(configuration[setting]), (1...1_000_000).contains(count) else {
            throw configuration.error(
                setting.key, "\"\(configuration[setting])\" must be an integer from 1 to 1000000.")
        }
        return count
    }

    /// Returns the URL for a signal: the signal's own URL, or the base URL with the signal's path.
    static func url(
        _ configuration: Configuration, _ own: Setting<String?>, path: String
    ) throws(ConfigurationError) -> String {
        let key = configuration[own] == nil ? OTLPSettings.endpoint.key : own.key
        let text = configuration[own] ?? configuration[OTLPSettings.endpoint]
        guard let components = URLComponents(string: text),
            ["http", "https"].contains(components.scheme?.lowercased() ?? ""), !(components.host ?? "").isEmpty,
            components.user == nil, components.password == nil
        else {
            throw configuration.error(
                key, "the value must be a URL without a user name, such as http://collector:4318.")
        }
        guard configuration[own] == nil else { return text }
        return text.hasSuffix("/") ? text + path : "\(text)/\(path)"
    }

    static func sampler(_ configuration: Configuration) throws(ConfigurationError) -> Sampler {
        let name = configuration[OTLPSettings.sampler]
        guard let kind = Sampler.Kind(rawValue: name) else {
            let names = Sampler.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw configuration.error(OTLPSettings.sampler.key, "\"\(name)\" must be one of \(names).")
        }
        let argument = configuration[OTLPSettings.samplerArgument]
        guard let ratio = Double(argument), (0...1).contains(ratio) else {
            throw configuration.error(
                OTLPSettings.samplerArgument.key, "\"\(argument)\" must be a number from 0 to 1.")
        }
        return Sampler(kind, ratio: ratio)
    }
}
