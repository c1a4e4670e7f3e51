extension Command {
    /// Parses a command line, the environment, and the configuration file that one of them names.
    ///
    /// Flags have the form `--key value` or `--key=value`, before or after a subcommand; `--` ends them.
    ///
    /// - Parameters:
    ///   - arguments: the arguments without the program's name.
    ///   - environment: all environment variables of the process.
    package func parse(_ arguments: [String], environment: [String: String]) -> CommandOutcome {
        var line = CommandLineReader(root: self)
        line.read(arguments)
        let fullName = ([name] + line.path).joined(separator: " ")
        if line.asksForHelp { return .show(line.command.help(fullName: fullName, inherited: line.inherited)) }
        if line.asksForVersion { return .show("\(name) \(version)\n") }
        line.convertFormerFlags()
        var errors = line.errors + line.command.checkArguments(line.positional, fullName: fullName)
        var loader = line.loader(environment)
        do throws(ConfigurationErrors) {
            let configuration = try loader.finish()
            if errors.isEmpty {
                return .run(
                    Invocation(
                        commandPath: line.path, configuration: configuration, arguments: line.positional,
                        warnings: line.warnings.map { "\(name): warning: \($0)" }))
            }
        } catch {
            errors += error.errors
        }
        return refusal(ConfigurationErrors(errors), warnings: line.warnings)
    }

    /// Returns the keys of this command's settings that are present in the file, the environment or flags, with any
    /// value. Errors are ignored here, because ``parse(_:environment:)`` reports them.
    ///
    /// - Parameters:
    ///   - arguments: the arguments without the program's name.
    ///   - environment: all environment variables of the process.
    package func givenKeys(_ arguments: [String], environment: [String: String]) -> Set<String> {
        var line = CommandLineReader(root: self)
        line.read(arguments)
        line.convertFormerFlags()
        return line.loader(environment).givenKeys
    }

    /// Returns the lines and the exit code for errors that a service finds after parsing.
    ///
    /// - Parameter warnings: further lines, printed before the errors.
    package func refusal(_ errors: ConfigurationErrors, warnings: [String] = []) -> CommandOutcome {
        let lines =
            warnings.map { "\(name): warning: \($0)" }
            + errors.errors.map { error in
                let topic = error.code == .usage ? "usage" : "configuration"
                return "\(name): \(topic): \(error.description)"
            }
        return .refuse(lines: lines, exitCode: errors.exitCode)
    }

    private func checkArguments(_ given: [String], fullName: String) -> [ConfigurationError] {
        let see = "See \(fullName) --help."
        if !subcommands.isEmpty, given.isEmpty {
            let names = subcommands.map(\.name).joined(separator: ", ")
            return [ConfigurationError(code: .usage, message: "missing command; expected one of \(names). \(see)")]
        }
        let required = arguments.filter { !$0.isOptional }
        if given.count < required.count {
            let missing = required[given.count...].map(\.name).joined(separator: " ")
            return [ConfigurationError(code: .usage, message: "missing: \(missing). \(see)")]
        }
        if given.count > arguments.count, arguments.last?.isRepeated != true, subcommands.isEmpty {
            let message = "unexpected argument \(quoted(given[arguments.count])). \(see)"
            return [ConfigurationError(code: .usage, message: message)]
        }
        return []
    }

    /// Whether this command or a subcommand has a valueless flag with this key, or had one under this name.
    func hasFlag(_ key: String) -> Bool {
        schema.settings.contains { $0.isFlag && ($0.key == key || $0.former.contains { $0.name == key }) }
            || subcommands.contains { $0.hasFlag(key) }
    }
}

/// Splits a command line into commands, flags and arguments.
private struct CommandLineReader {
    typealias Flag = (key: String, text: String)

    let root: Command
    var command: Command
    var path: [String] = []
    /// The settings of all parents of `command`.
    var inherited: ConfigurationSchema
    var flags: [Flag] = []
    var positional: [String] = []
    var configurationFile: String?
    var asksForHelp = false
    var asksForVersion = false
    var errors: [ConfigurationError] = []
    /// A sentence for each flag in a former form.
    var warnings: [String] = []

    init(root: Command) {
        inherited = ConfigurationSchema(variables: root.schema.variables)
        self.root = root
        self.command = root
    }

    mutating func read(_ arguments: [String]) {
        var rest = arguments[...]
        var flagsEnded = false
        while let argument = rest.popFirst() {
            if flagsEnded || argument == "-" || !argument.hasPrefix("-") {
                word(argument)
            } else if argument == "--" {
                flagsEnded = true
            } else if argument == "-h" || argument == "--help" {
                asksForHelp = true
            } else if argument == "--version" {
                asksForVersion = true
            } else if argument.hasPrefix("--") {
                flag(argument.dropFirst(2), &rest)
            } else {
                refuse("unknown flag \(quoted(argument)). Flags are --key value or --key=value.")
            }
        }
    }

    /// Replaces each flag in a former form by its present form. The form depends on the command, and a flag may precede
    /// the command.
    mutating func convertFormerFlags() {
        let schema = inherited.adding(command.schema)
        let given = flags
        flags = []
        for flag in given {
            let present = schema.presentForm(flag.key, flag.text)
            if !present.elementsEqual([flag], by: ==) { warnings.append(deprecation(of: flag, present, schema)) }
            for flag in present {
                if flags.contains(where: { $0.key == flag.key }) { refuse("--\(printable(flag.key)) is given twice.") }
                flags.append(flag)
            }
        }
    }

    /// Returns the warning for a flag in a former form. It includes the values if the name is still in use.
    private func deprecation(of flag: Flag, _ present: [Flag], _ schema: ConfigurationSchema) -> String {
        let isInUse = schema.settings.contains { $0.key == flag.key }
        let text = { (flag: Flag) in "--\(flag.key)" + (isInUse ? " " + printable(flag.text) : "") }
        return "\(text(flag)) is deprecated. Use \(present.map(text).joined(separator: " "))."
    }

    /// Creates a loader with the values from the file, the environment and flags.
    func loader(_ environment: [String: String]) -> ConfigurationLoader {
        let schema = inherited.adding(command.schema)
        var loader = ConfigurationLoader(schema: schema)
        if command.readsConfiguration {
            if let file = configurationFile {
                loader.addFile(file, namedBy: .flag("--config"))
            } else if let file = environment[schema.variables.configurationFile] {
                loader.addFile(file, namedBy: .environment(variable: schema.variables.configurationFile))
            }
            loader.addEnvironment(environment)
        }
        for flag in flags { loader.addFlag(flag.key, flag.text) }
        return loader
    }

    private mutating func word(_ word: String) {
        guard !command.subcommands.isEmpty, positional.isEmpty else {
            positional.append(word)
            return
        }
        if word == "help" {
            asksForHelp = true
        } else if let next = command.subcommands.first(where: { $0.name == word }) {
            inherited = inherited.adding(command.schema)
            command = next
            path.append(word)
        } else {
            let names = command.subcommands.map(\.name)
            let advice = NearestName.of(word, in: names).map { "Did you mean \($0)?" }
            let list = "Commands: \(names.joined(separator: ", "))."
            refuse("unknown command \(quoted(word)). \(advice ?? list)")
            positional.append(word)
        }
    }

    private mutating func flag(_ flag: Substring, _ rest: inout ArraySlice<String>) {
        let key = String(flag.prefix { $0 != "=" })
        var text: String
        if let equals = flag.firstIndex(of: "=") {
            text = String(flag[flag.index(after: equals)...])
        } else if root.hasFlag(key) {
            text = "true"
        } else if let next = rest.first, !next.hasPrefix("--") {
            text = next
            rest.removeFirst()
        } else {
            refuse("--\(printable(key)) needs a value. Pass --\(printable(key)) VALUE.")
            return
        }
        if key == "config" {
            if configurationFile != nil { refuse("--config is given twice.") }
            configurationFile = text
        } else if flags.contains(where: { $0.key == key }) {
            refuse("--\(printable(key)) is given twice.")
        } else {
            if text.isEmpty, root.hasFlag(key) { text = "true" }
            flags.append((key, text))
        }
    }

    private mutating func refuse(_ message: String) {
        errors.append(ConfigurationError(code: .usage, message: message))
    }
}
