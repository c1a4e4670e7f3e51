/// A command line as a value: an executable, or one of its subcommands.
public struct Command: Sendable {
    /// A positional argument.
    package struct Argument: Sendable {
        /// Upper case, as in the usage line.
        package let name: String
        /// One sentence for `--help`.
        package let help: String
        /// Whether it may be left out.
        package let isOptional: Bool
        /// Whether it may be given more than once; only the last argument of a command.
        package let isRepeated: Bool

        package init(_ name: String, help: String, isOptional: Bool = false, isRepeated: Bool = false) {
            self.name = name
            self.help = help
            self.isOptional = isOptional
            self.isRepeated = isRepeated
        }
    }

    /// A command line that works, with what it does.
    public struct Example: Sendable {
        public let commandLine: String
        public let meaning: String

        public init(_ commandLine: String, _ meaning: String) {
            self.commandLine = commandLine
            self.meaning = meaning
        }
    }

    /// As operators type it.
    package let name: String
    /// What it does, in one sentence.
    package let summary: String
    /// More about it for `--help`, in paragraphs; may be empty.
    package let discussion: String
    /// The settings that it reads besides those of the commands above it.
    package let schema: ConfigurationSchema
    /// Positional arguments, in order.
    package let arguments: [Argument]
    /// Command lines for `--help`.
    package let examples: [Example]
    /// Commands below it; a command has these or arguments.
    package let subcommands: [Command]
    /// What `--version` prints; looked up at the root.
    package let version: String
    /// Whether the configuration is read and checked; `false` for a command that must work without one.
    package let readsConfiguration: Bool

    package init(
        _ name: String, summary: String, discussion: String = "", schema: ConfigurationSchema = ConfigurationSchema(),
        arguments: [Argument] = [], examples: [Example] = [], subcommands: [Command] = [], version: String = "",
        readsConfiguration: Bool = true
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
    }

    /// The same command, which also tolerates the keys of other executables in the file and environment that it shares
    /// with them; so do its subcommands.
    package func tolerating(_ keys: [String]) -> Command {
        Command(
            name, summary: summary, discussion: discussion, schema: schema.tolerating(keys), arguments: arguments,
            examples: examples, subcommands: subcommands.map { $0.tolerating(keys) }, version: version,
            readsConfiguration: readsConfiguration)
    }
}

/// What is to be run: the command that was named, its configuration, and its positional arguments.
package struct Invocation: Sendable {
    /// The names below the executable: `["topics", "create"]`; empty for an executable without subcommands.
    package let commandPath: [String]
    /// The effective configuration.
    package let configuration: Configuration
    /// Positional arguments, in order.
    package let arguments: [String]
}

/// What a command line asks for. Parsing neither prints nor exits.
package enum CommandOutcome: Sendable {
    /// Run it.
    case run(Invocation)
    /// Print this text (help or version) to standard output and exit with 0.
    case show(String)
    /// Print each line to standard error and exit.
    case refuse(lines: [String], exitCode: Int32)
}
