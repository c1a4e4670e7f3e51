package import Configuration
package import Lifecycle

/// A parsed command line: the selected command with its configuration and positional arguments.
package struct Invocation: Sendable {
    /// The selected command.
    package let command: Command
    /// The subcommand names, such as `["topics", "create"]`; empty if the executable has no subcommands.
    package let commandPath: [String]
    /// The effective configuration.
    package let configuration: Configuration
    /// Positional arguments, in order.
    package let arguments: [String]
    /// The warnings to print to standard error, one for each flag given in a deprecated form.
    package let warnings: [String]

    /// Runs the command and returns the process exit code.
    ///
    /// - Throws: the command's errors; a `StartupError` if the command has no action.
    package func run(_ context: CommandContext) async throws -> ExitCode {
        guard let action = command.action else {
            let name = commandPath.joined(separator: " ")
            throw StartupError("\(name) does nothing by itself", fix: "See --help", exitCode: .usage)
        }
        return try await action(context)
    }
}

/// The result of parsing a command line. Parsing neither prints nor exits.
package enum CommandOutcome: Sendable {
    /// Run the command.
    case run(Invocation)
    /// Print help or the version to standard output and exit with 0.
    case show(String)
    /// Print each line to standard error and exit.
    case refuse(lines: [String], exitCode: Int32)
}
