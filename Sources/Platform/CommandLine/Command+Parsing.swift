package import Configuration

extension Command {
    /// Parses a command line, the environment, and the configuration file named by either of them.
    ///
    /// Flags have the form `--key value` or `--key=value`, before or after a subcommand; `--` ends the flags.
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
                        command: line.command, commandPath: line.path, configuration: configuration,
                        arguments: line.positional, warnings: line.warnings.map { "\(name): warning: \($0)" }))
            }
        } catch {
            errors += error.errors
        }
        return refusal(ConfigurationErrors(errors), warnings: line.warnings)
    }

    /// Returns the keys of this command's settings that are given in the file, in the environment or as flags. Ignores
    /// errors, which ``parse(_:environment:)`` reports.
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

    /// Returns the lines and the exit code for errors in the command line or the configuration.
    ///
    /// - Parameter warnings: additional lines, printed before the errors.
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

    /// Whether this command or a subcommand has, or used to have, a valueless flag with this name.
    func hasFlag(_ key: String) -> Bool {
        schema.settings.contains { $0.isFlag(named: key) }
            || subcommands.contains { $0.hasFlag(key) }
    }
}
