internal import Configuration

extension Command {
    private static let width = 100

    /// Returns the `--help` output.
    ///
    /// - Parameters:
    ///   - fullName: the names of the executable and its subcommands down to this one, as the operator types them.
    ///   - inherited: the settings of the parent commands.
    func help(fullName: String, inherited: ConfigurationSchema) -> String {
        let schema = inherited.adding(self.schema)
        var text = "\(fullName): \(summary)\n"
        if !discussion.isEmpty { text += "\n" + Command.wrap(discussion, indent: 0) }
        text += "\nUsage:\n  \(usage(fullName))\n"
        if !subcommands.isEmpty { text += "\nCommands:\n" + Command.table(subcommands.map { ($0.name, $0.summary) }) }
        if !arguments.isEmpty { text += "\nArguments:\n" + Command.table(arguments.map { ($0.name, $0.help) }) }
        let options = schema.settings.filter(\.isCommandLineOnly)
        if !options.isEmpty { text += "\nOptions:\n" + options.map(Command.option).joined() }
        let settings = schema.settings.filter { !$0.isCommandLineOnly }
        if readsConfiguration, !settings.isEmpty || !schema.openPrefixes.isEmpty {
            text += "\nSettings, each as key=value in the file, as an environment variable, or as a flag --key value\n"
            text += "(flags override the environment, which overrides the file):\n"
            text += settings.map { Command.setting($0, schema.variables) }.joined()
            text += schema.openPrefixes.map { Command.openPrefix($0, schema.variables) }.joined()
        }
        text += "\nAlways:\n"
        text += Command.table(always(schema.variables))
        if !examples.isEmpty {
            text += "\nExamples:\n"
            for example in examples {
                text += "  # \(example.meaning)\n  \(example.commandLine)\n"
            }
        }
        return text
    }

    private func usage(_ fullName: String) -> String {
        var words = [fullName]
        if !subcommands.isEmpty { words.append("COMMAND") }
        for argument in arguments {
            let name = argument.isRepeated ? argument.name + "..." : argument.name
            words.append(argument.isOptional ? "[\(name)]" : name)
        }
        return (words + ["[--KEY VALUE]..."]).joined(separator: " ")
    }

    private func always(_ variables: EnvironmentVariables) -> [(String, String)] {
        var rows: [(String, String)] = []
        if readsConfiguration {
            rows.append(
                ("--config FILE", "properties file to read, also set by \(variables.configurationFile)"))
        }
        rows.append(("-h, --help", "show this help"))
        rows.append(("--version", "show the version"))
        return rows
    }

    private static func option(_ setting: SettingDescriptor) -> String {
        let head = setting.isFlag ? "--\(setting.key)" : "--\(setting.key) \(setting.valueName)"
        var help = setting.help
        if let text = setting.defaultText, !setting.isFlag { help += " Default \(text)." }
        return "  \(head)\n" + wrap(help, indent: 6)
    }

    private static func setting(_ setting: SettingDescriptor, _ variables: EnvironmentVariables) -> String {
        var value = setting.isRequired && setting.template == nil ? "required" : "not set"
        if let text = setting.defaultText { value = "default \(text)" }
        var variable = variables.variable(of: setting) ?? "file or flag only"
        if let standard = setting.standardVariable { variable += ", \(standard)" }
        return "  \(setting.key)  (\(value); \(variable))\n"
            + wrap("\(setting.help.trimmingFullStop). Expects \(setting.expected).", indent: 6)
    }

    private static func openPrefix(_ open: OpenPrefix, _ variables: EnvironmentVariables) -> String {
        "  \(open.prefix)*  (\(variables.variable(for: open.prefix))*)\n"
            + wrap("\(open.help.trimmingFullStop). For example: \(open.example)", indent: 6)
    }

    private static func table(_ rows: [(String, String)]) -> String {
        let left = min(28, rows.map(\.0.count).max() ?? 0)
        return rows.map { name, help in
            let padding = String(repeating: " ", count: max(0, left - name.count) + 2)
            let lines = wrap(help, indent: left + 4)
            return "  \(name)\(padding)" + lines.drop { $0 == " " }
        }.joined()
    }

    /// Wraps words into lines of at most 100 columns and preserves paragraphs.
    static func wrap(_ text: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var result = ""
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = ""
            for word in paragraph.split(separator: " ") {
                if !line.isEmpty, indent + line.count + 1 + word.count > width {
                    result += margin + line + "\n"
                    line = ""
                }
                line += line.isEmpty ? String(word) : " " + word
            }
            result += line.isEmpty ? "\n" : margin + line + "\n"
        }
        return result
    }
}
