internal import AppStoreModel
internal import Configuration
internal import JSON
internal import Lifecycle

/// `sluicectl config check` and `sluicectl config show`: the configuration as each executable would read it.
///
/// Validity depends on the executable, so the same command line, environment and file are read once for each.
struct ConfigCommand {
    let executables: [SluicectlParts.Executable]
    /// Every key allowed in a shared file or environment.
    let sharedKeys: [String]
    /// Of `sluicectl`, as given.
    let arguments: [String]
    let environment: [String: String]

    /// The result for one executable.
    struct Finding {
        let executable: String
        /// Nil when there are errors.
        let configuration: Configuration?
        /// One line each, with the executable's name.
        let errors: [String]
    }

    func check(_ output: OutputFormat, _ console: Console) async -> ExitCode {
        let findings = findings()
        switch output {
        case .text:
            for finding in findings {
                if finding.errors.isEmpty { await console.write("\(finding.executable): ok\n") }
                for line in finding.errors { console.complain(line) }
            }
        case .json: await console.write(line: JSONValue.object(Self.checkJSON(findings)).json)
        }
        return Self.exitCode(findings)
    }

    func show(_ output: OutputFormat, _ console: Console) async -> ExitCode {
        let findings = findings()
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

    private static func checkJSON(_ findings: [Finding]) -> JSONObject {
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
        ]
    }

    private static func settings(_ configuration: Configuration) -> JSONValue {
        (try? JSONValue(json: Array(configuration.describe(.json).utf8))) ?? .null
    }

    private func findings() -> [Finding] {
        executables.map { executable in
            // The same subcommand names, so that the arguments parse; the executable's name, so that errors name it.
            let schema = executable.schema.tolerating(sharedKeys)
            let words = ["check", "show"].map { Command($0, summary: "", schema: schema) }
            let command = Command(
                executable.name, summary: "", subcommands: [Command("config", summary: "", subcommands: words)])
            switch command.parse(Self.withoutOwnFlags(arguments), environment: environment) {
            case .run(let invocation): return finding(executable, command, invocation.configuration)
            case .refuse(let lines, _):
                return Finding(executable: executable.name, configuration: nil, errors: lines)
            // Help and version were handled earlier.
            case .show: return Finding(executable: executable.name, configuration: nil, errors: [])
            }
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

    /// The arguments without those that select executables and output format.
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
