internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import JSON
internal import Lifecycle

/// `sluicectl config check` and `sluicectl config show`: check and show the configuration as each executable reads it.
///
/// Validity depends on the executable, so the command line, environment and file are read once per executable.
struct ConfigCommand {
    /// Every executable of an installation.
    let executables: [SluicectlParts.Executable]
    /// The executable selected by `--for`, or nil for all executables to which the configuration applies.
    let named: String?
    /// Every key allowed in a shared file or environment.
    let sharedKeys: [String]
    /// The arguments of `sluicectl`, unchanged.
    let arguments: [String]
    let environment: [String: String]

    /// The result of reading the configuration for one executable.
    struct Finding {
        let executable: String
        /// The configuration, or nil if there are errors.
        let configuration: Configuration?
        /// The error lines, each prefixed with the executable's name.
        let errors: [String]
    }

    /// The executables for which the configuration is read.
    private struct Selection {
        let checked: [SluicectlParts.Executable]
        let skipped: [SluicectlParts.Executable]
    }

    func check(_ output: OutputFormat, _ console: Console) async -> ExitCode {
        let selection = selection()
        let findings = selection.checked.map(finding)
        switch output {
        case .text:
            for finding in findings {
                if finding.errors.isEmpty { await console.write("\(finding.executable): ok\n") }
                for line in finding.errors { console.complain(line) }
            }
            for executable in selection.skipped {
                await console.write("\(executable.name): not checked, \(Self.reason(executable))\n")
            }
        case .json:
            await console.write(line: JSONValue.object(Self.checkJSON(findings, selection.skipped)).json)
        }
        return Self.exitCode(findings)
    }

    func show(_ output: OutputFormat, _ console: Console) async -> ExitCode {
        let findings = selection().checked.map(finding)
        for line in findings.flatMap(\.errors) { console.complain(line) }
        let shown = findings.compactMap { finding in
            finding.configuration.map { (name: finding.executable, configuration: $0) }
        }
        switch output {
        case .text:
            for (index, executable) in shown.enumerated() {
                let heading = "\(index > 0 ? "\n" : "")# \(executable.name)\n"
                await console.write(heading + executable.configuration.describe(.text))
            }
        case .json:
            let values = shown.map { executable in
                JSONValue.object([
                    OutputName.executable: .string(executable.name),
                    OutputName.settings: Self.settings(executable.configuration),
                ])
            }
            await console.write(
                line: JSONValue.object([OutputName.executables: .array(values)]).json)
        }
        return Self.exitCode(findings)
    }

    private static func exitCode(_ findings: [Finding]) -> ExitCode {
        findings.allSatisfy(\.errors.isEmpty) ? .ok : .configuration
    }

    private static func reason(_ executable: SluicectlParts.Executable) -> String {
        "none of its own settings is set; to check it anyway, use --for \(executable.name)"
    }

    private static func checkJSON(_ findings: [Finding], _ skipped: [SluicectlParts.Executable]) -> JSONObject {
        [
            OutputName.ok: .bool(findings.allSatisfy(\.errors.isEmpty)),
            OutputName.executables: .array(
                findings.map { finding in
                    .object([
                        OutputName.executable: .string(finding.executable),
                        OutputName.ok: .bool(finding.errors.isEmpty),
                        OutputName.errors: .array(finding.errors.map { .string($0) }),
                    ])
                }),
            OutputName.notChecked: .array(
                skipped.map { executable in
                    .object([
                        OutputName.executable: .string(executable.name),
                        OutputName.reason: .string(reason(executable)),
                    ])
                }),
        ]
    }

    private static func settings(_ configuration: Configuration) -> JSONValue {
        (try? JSONValue(json: Array(configuration.describe(.json).utf8))) ?? .null
    }

    /// Selects the executables to check. An optional executable is selected only if the file, environment or flags
    /// contain a setting that no other executable has.
    private func selection() -> Selection {
        if let named { return Selection(checked: executables.filter { $0.name == named }, skipped: []) }
        let given = executables.map { executable in
            command(executable).givenKeys(Self.withoutOwnFlags(arguments), environment: environment)
        }
        let isChecked = executables.indices.map { index in
            let others = given.indices.filter { $0 != index }.reduce(into: Set<String>()) { $0.formUnion(given[$1]) }
            return !executables[index].isOptional || !given[index].isSubset(of: others)
        }
        return Selection(
            checked: zip(executables, isChecked).filter(\.1).map(\.0),
            skipped: zip(executables, isChecked).filter { !$0.1 }.map(\.0))
    }

    /// Returns a command with the executable's settings and the subcommands of `sluicectl`. The command parses the same
    /// arguments, and its errors begin with the executable's name.
    private func command(_ executable: SluicectlParts.Executable) -> Command {
        let schema = executable.schema.tolerating(sharedKeys)
        let words = ["check", "show"].map { Command($0, summary: "", schema: schema) }
        return Command(
            executable.name, summary: "", subcommands: [Command("config", summary: "", subcommands: words)])
    }

    private func finding(_ executable: SluicectlParts.Executable) -> Finding {
        let command = command(executable)
        switch command.parse(Self.withoutOwnFlags(arguments), environment: environment) {
        case .run(let invocation): return finding(executable, command, invocation.configuration)
        case .refuse(let lines, _): return Finding(executable: executable.name, configuration: nil, errors: lines)
        // Help and version have already been handled.
        case .show: return Finding(executable: executable.name, configuration: nil, errors: [])
        }
    }

    private func finding(
        _ executable: SluicectlParts.Executable, _ command: Command, _ configuration: Configuration
    ) -> Finding {
        do throws(ConfigurationError) {
            try executable.check(configuration)
            return Finding(executable: executable.name, configuration: configuration, errors: [])
        } catch {
            guard case .refuse(let lines, _) = command.refusal(ConfigurationErrors([error])) else {
                return Finding(executable: executable.name, configuration: nil, errors: [error.description])
            }
            return Finding(executable: executable.name, configuration: nil, errors: lines)
        }
    }

    /// Returns the arguments without the flags that select the executable or the output format.
    static func withoutOwnFlags(_ arguments: [String]) -> [String] {
        let own = ["--for", "--output"]
        var result: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                result.append(argument)
                result += rest
                break
            }
            if own.contains(argument) {
                _ = rest.popFirst()
            } else if !own.contains(where: { argument.hasPrefix($0 + "=") }) {
                result.append(argument)
            }
        }
        return result
    }
}

extension ConfigCommand {
    init(_ context: CommandContext, _ parts: SluicectlParts) {
        self.init(
            executables: parts.executables,
            named: context.configuration[OperationsSettings.executable(of: parts.executables.map(\.name))],
            sharedKeys: parts.sharedKeys, arguments: context.processArguments, environment: context.environment)
    }
}
