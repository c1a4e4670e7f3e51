/// Merges the file, the environment and flags according to a schema. Collects all errors.
package struct ConfigurationLoader {
    struct Given {
        let key: String
        let text: String
        let origin: ConfigurationOrigin
    }

    let schema: ConfigurationSchema
    private(set) var errors: [ConfigurationError] = []
    private var given: [String: Given] = [:]

    package init(schema: ConfigurationSchema) {
        self.schema = schema
    }

    /// The keys in the schema that at least one source contains.
    package var givenKeys: Set<String> {
        Set(
            given.keys.filter { key in
                switch schema.meaning(of: key) {
                case .setting, .template, .open: true
                case .elsewhere, .unknown: false
                }
            })
    }

    // MARK: Sources, in order of precedence

    package mutating func addFile(_ path: String, namedBy origin: ConfigurationOrigin) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try BoundedFile.read(path, limit: PropertiesFile.maximumFileBytes)
        } catch {
            let message =
                "cannot read the configuration file \(quoted(path, maximum: .max)): \(error.message). "
                + "Specify a readable file."
            errors.append(ConfigurationError(code: .unreadableFile, origin: origin, message: message))
            return
        }
        addFile(bytes, path: path)
    }

    mutating func addFile(_ bytes: [UInt8], path: String) {
        let parsed = PropertiesFile.parse(bytes, path: path)
        errors += parsed.errors
        for entry in parsed.entries {
            add(Given(key: entry.key, text: entry.value, origin: .file(path: path, line: entry.line)))
        }
    }

    package mutating func addEnvironment(_ environment: [String: String]) {
        for setting in schema.settings {
            guard let variable = setting.standardVariable, let value = environment[variable], !value.isEmpty else {
                continue
            }
            add(Given(key: setting.key, text: value, origin: .environment(variable: variable)))
        }
        for (variable, value) in environment.sorted(by: { $0.key < $1.key }) {
            guard variable.hasPrefix(schema.variables.prefix), variable != schema.variables.configurationFile,
                !variable.hasPrefix(schema.variables.testPrefix),
                !EnvironmentVariables.isServiceLink(variable, value: value)
            else { continue }
            let origin = ConfigurationOrigin.environment(variable: variable)
            if let key = schema.key(ofVariable: variable) {
                add(Given(key: key, text: value, origin: origin))
            } else {
                errors.append(
                    ConfigurationError(
                        code: .unknownKey, origin: origin,
                        message: "unknown environment variable. " + variableAdvice(variable)))
            }
        }
    }

    package mutating func addFlag(_ key: String, _ text: String) {
        add(Given(key: key, text: text, origin: .flag("--\(key)")))
    }

    private mutating func add(_ value: Given) {
        switch schema.meaning(of: value.key) {
        case .setting(let setting):
            if setting.isCommandLineOnly, !value.isFlag {
                let message = "can only be set on the command line. Remove it and pass --\(setting.key)."
                return refuse(.unknownKey, value, message)
            }
            if setting.isSecret, value.isFlag { return refuseSecretFlag(value) }
        case .template: break
        case .open:
            if let reason = schema.refusal(of: value.key) { return refuse(.unknownKey, value, reason) }
            if OpenPrefix.isSecret(value.key), !value.key.hasSuffix(".file"), value.isFlag {
                return refuseSecretFlag(value)
            }
        case .elsewhere:
            guard value.isFlag else { return }
            return refuse(.usage, value, "this command does not use this key. Remove the flag.")
        case .unknown:
            return refuse(value.isFlag ? .usage : .unknownKey, value, unknownKeyMessage(value))
        }
        given[value.key] = value
    }

    private mutating func refuse(_ code: ConfigurationError.Code, _ value: Given, _ message: String) {
        errors.append(ConfigurationError(code: code, key: value.key, origin: value.origin, message: message))
    }

    private mutating func refuseSecretFlag(_ value: Given) {
        let message = "a secret cannot be passed on the command line, where every local user can read it. "
        refuse(.wrongValue, value, message + "Write it to a file and set \(value.key).file.")
    }

    private func unknownKeyMessage(_ value: Given) -> String {
        if let nearest = schema.nearestKey(to: value.key, commandLine: value.isFlag) {
            return "unknown key. Did you mean \(value.isFlag ? "--" : "")\(nearest)?"
        }
        return "unknown key. Remove it; --help lists the keys."
    }

    private func variableAdvice(_ variable: String) -> String {
        for setting in schema.settings {
            guard let template = setting.template,
                variable.hasPrefix(schema.variables.variable(for: template.prefix))
            else { continue }
            return "Set \(setting.key) in the file or as a flag; an environment variable cannot contain the name."
        }
        let variables = schema.settings.compactMap(schema.variables.variable(of:))
        guard let nearest = NearestName.of(variable, in: variables) else {
            return "Remove it; --help lists the variables."
        }
        return "Did you mean \(nearest)?"
    }

    // MARK: Result

    package mutating func finish() throws(ConfigurationErrors) -> Configuration {
        var values: [String: any Sendable] = [:]
        var entries: [Configuration.Entry] = []
        for setting in schema.settings {
            if setting.template != nil {
                readNamed(setting, &values, &entries)
            } else {
                read(setting, &values, &entries)
            }
        }
        let open = readOpen(&entries)
        guard errors.isEmpty else { throw ConfigurationErrors(errors) }
        return Configuration(values: values, open: open, entries: entries)
    }

    private mutating func read(
        _ setting: SettingDescriptor, _ values: inout [String: any Sendable], _ entries: inout [Configuration.Entry]
    ) {
        if let value = given[setting.key] {
            parse(value, setting, &values, &entries)
        } else if let fallback = setting.fallback {
            values[setting.key] = fallback
            if !setting.isCommandLineOnly {
                let text = setting.defaultText
                entries.append(Configuration.Entry(key: setting.key, text: text, origin: .default, isSecret: false))
            }
        } else {
            errors.append(missing(setting))
        }
    }

    private func missing(_ setting: SettingDescriptor) -> ConfigurationError {
        let flag = "--\(setting.key)"
        let places =
            schema.variables.variable(of: setting).map {
                "Set \(setting.key)=\(setting.example) in the file, \($0), or \(flag)."
            }
            ?? "Pass \(flag) \(setting.example)."
        let message = "is required: \(setting.help.trimmingFullStop). \(places)"
        return ConfigurationError(
            code: setting.isCommandLineOnly ? .usage : .missing, key: setting.key, message: message)
    }

    private mutating func readNamed(
        _ setting: SettingDescriptor, _ values: inout [String: any Sendable], _ entries: inout [Configuration.Entry]
    ) {
        guard let template = setting.template else { return }
        let declared = names(declaredBy: template.declaringKey)
        for value in given.values.sorted(by: { $0.key < $1.key }) {
            guard case .template(let owner, let name) = schema.meaning(of: value.key), owner.key == setting.key else {
                continue
            }
            if declared.contains(name) {
                parse(value, setting, &values, &entries)
            } else {
                refuse(.unknownKey, value, undeclaredMessage(name, template, declared))
            }
        }
    }

    /// Returns the names that a setting lists, or an empty array if the setting is missing.
    private func names(declaredBy key: String) -> [String] {
        (given[key]?.text ?? "").split(separator: ",").map { $0.prefix { $0 != ":" }.trimmed }
    }

    private func undeclaredMessage(_ name: String, _ template: KeyTemplate, _ declared: [String]) -> String {
        let key = template.declaringKey
        guard !declared.isEmpty else {
            return "\(key) does not list \(quoted(name)), because \(key) is not set. Set \(key), or remove this key."
        }
        var list = declared.prefix(Self.namesInMessage).map { printable($0) }.joined(separator: ", ")
        if declared.count > Self.namesInMessage { list += " and \(declared.count - Self.namesInMessage) more" }
        let advice =
            NearestName.of(name, in: declared).map { "Did you mean \(printable(template.key(for: $0)))?" }
            ?? "Add it to \(key), or remove this key."
        return "\(key) does not list \(quoted(name)); it lists \(list). \(advice)"
    }

    /// The maximum number of names listed in an error message.
    private static let namesInMessage = 10

    private mutating func parse(
        _ value: Given, _ setting: SettingDescriptor, _ values: inout [String: any Sendable],
        _ entries: inout [Configuration.Entry]
    ) {
        do throws(SettingError) {
            values[value.key] = try setting.read(value.text)
            entries.append(
                Configuration.Entry(
                    key: value.key, text: value.text, origin: value.origin, isSecret: setting.isSecret))
        } catch {
            let problem = error.isComplete ? error.message : "must be \(setting.expected)"
            let subject = error.hidesValue || setting.isSecret ? "the value" : quoted(value.text)
            let message = "\(subject) \(problem). For example: \(value.key)=\(setting.example)"
            refuse(.wrongValue, value, message)
        }
    }

    private mutating func readOpen(_ entries: inout [Configuration.Entry]) -> [String: String] {
        var open: [String: String] = [:]
        for value in given.values.sorted(by: { $0.key < $1.key }) {
            guard case .open = schema.meaning(of: value.key) else { continue }
            let target = value.key.hasSuffix(".file") ? String(value.key.dropLast(".file".count)) : value.key
            guard target != value.key, OpenPrefix.isSecret(target) else {
                let isSecret = OpenPrefix.isSecret(value.key)
                open[value.key] = value.text
                entries.append(
                    Configuration.Entry(
                        key: value.key, text: value.text, origin: value.origin, isSecret: isSecret))
                continue
            }
            guard given[target] == nil else {
                refuse(.duplicate, value, "\(target) is also set. Keep one of the two.")
                continue
            }
            do throws(FileError) {
                let secret = try SecretFile(path: value.text)
                open[target] = String(decoding: secret.contents.revealedBytes, as: UTF8.self)
                entries.append(
                    Configuration.Entry(key: value.key, text: value.text, origin: value.origin, isSecret: false))
            } catch {
                let message = "\(quoted(value.text)) cannot be used as a secret: \(error.message)."
                refuse(.wrongValue, value, message + " Specify a readable file that contains the secret.")
            }
        }
        return open
    }
}

extension ConfigurationLoader.Given {
    var isFlag: Bool {
        if case .flag = origin { true } else { false }
    }
}

extension String {
    package var trimmingFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
