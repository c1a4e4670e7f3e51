package import Configuration
package import Lifecycle

/// A command: an executable or one of its subcommands, with its settings, its help and its action.
public struct Command: Sendable {
    /// A positional argument.
    package struct Argument: Sendable {
        /// The name in upper case, as in the usage line.
        package let name: String
        /// One sentence for `--help`.
        package let help: String
        /// Whether the argument may be omitted.
        package let isOptional: Bool
        /// Whether the argument may be repeated. Only a command's last argument may be.
        package let isRepeated: Bool

        package init(_ name: String, help: String, isOptional: Bool = false, isRepeated: Bool = false) {
            self.name = name
            self.help = help
            self.isOptional = isOptional
            self.isRepeated = isRepeated
        }
    }

    /// An example command line and its effect.
    public struct Example: Sendable {
        public let commandLine: String
        public let meaning: String

        public init(_ commandLine: String, _ meaning: String) {
            self.commandLine = commandLine
            self.meaning = meaning
        }
    }

    /// The name, as operators type it.
    package let name: String
    /// The purpose of the command, in one sentence.
    package let summary: String
    /// Additional paragraphs for `--help`; may be empty.
    package let discussion: String
    /// The settings of this command in addition to those of its parents.
    package let schema: ConfigurationSchema
    /// Positional arguments, in order.
    package let arguments: [Argument]
    /// Command lines for `--help`.
    package let examples: [Example]
    /// The subcommands. A command has either subcommands or arguments.
    package let subcommands: [Command]
    /// The `--version` output; only the root command's value is used.
    package let version: String
    /// Whether the configuration is read and validated; false for commands that must work without one.
    package let readsConfiguration: Bool
    /// Runs the command; nil for a command with subcommands, and for an executable that runs until it is stopped.
    package private(set) var action: Action?

    /// Runs a command and returns the process exit code.
    package typealias Action = @Sendable (CommandContext) async throws -> ExitCode

    package init(
        _ name: String, summary: String, discussion: String = "", schema: ConfigurationSchema = ConfigurationSchema(),
        arguments: [Argument] = [], examples: [Example] = [], subcommands: [Command] = [], version: String = "",
        readsConfiguration: Bool = true, action: Action? = nil
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.schema = schema
        self.arguments = arguments
        self.examples = examples
        self.subcommands = subcommands
        self.version = version
        self.readsConfiguration = readsConfiguration
        self.action = action
    }

    /// Returns a copy of the command. The copy and its subcommands ignore these keys of other executables in a shared
    /// file and environment.
    package func tolerating(_ keys: [String]) -> Command {
        Command(
            name, summary: summary, discussion: discussion, schema: schema.tolerating(keys), arguments: arguments,
            examples: examples, subcommands: subcommands.map { $0.tolerating(keys) }, version: version,
            readsConfiguration: readsConfiguration, action: action)
    }

    /// Returns a copy of the command. Its action and its subcommands' actions run on the given executor, as actions
    /// that block threads must.
    package func running(on executor: any TaskExecutor) -> Command {
        var command = Command(
            name, summary: summary, discussion: discussion, schema: schema, arguments: arguments, examples: examples,
            subcommands: subcommands.map { $0.running(on: executor) }, version: version,
            readsConfiguration: readsConfiguration)
        if let action {
            command.action = { context in
                try await withTaskExecutorPreference(executor) { try await action(context) }
            }
        }
        return command
    }
}
