package import Configuration
package import Primitives

/// Everything that a command's action may use.
package struct CommandContext: Sendable {
    private let invocation: Invocation
    package let console: Console
    package let clocks: Clocks
    /// The timeout for the first response from a remote service.
    package let timeout: Duration
    /// Starts catching SIGINT and SIGTERM, for commands that run until interrupted.
    package let interruptions: @Sendable () -> AsyncStream<String>
    /// The process arguments without the process name, for commands that parse them again.
    package let processArguments: [String]
    /// All environment variables of the process.
    package let environment: [String: String]

    package init(
        _ invocation: Invocation, console: Console, clocks: Clocks, timeout: Duration,
        interruptions: @escaping @Sendable () -> AsyncStream<String>, processArguments: [String],
        environment: [String: String]
    ) {
        self.invocation = invocation
        self.console = console
        self.clocks = clocks
        self.timeout = timeout
        self.interruptions = interruptions
        self.processArguments = processArguments
        self.environment = environment
    }

    /// The effective configuration.
    package var configuration: Configuration { invocation.configuration }
    /// Positional arguments, in order.
    package var arguments: [String] { invocation.arguments }
    /// The first positional argument of a command that requires one.
    package var argument: String { arguments.first ?? "" }
}
