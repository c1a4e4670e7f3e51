internal import Configuration

/// Splits a command line into commands, flags and arguments.
struct CommandLineReader {
    typealias Flag = (key: String, text: String)

    let root: Command
    var command: Command
    var path: [String] = []
    /// The settings of all of `command`'s parents.
    var inherited: ConfigurationSchema
    var flags: [Flag] = []
    var positional: [String] = []
    var configurationFile: String?
    var asksForHelp = false
    var asksForVersion = false
    var errors: [ConfigurationError] = []
    /// A warning for each flag given in a deprecated form.
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

    /// Converts each flag given in a deprecated form to its current form. The conversion depends on the command, which
    /// may come after the flag.
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

    /// Returns the warning for a flag given in a deprecated form. The warning includes the values if the flag's name is
    /// still in use.
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
