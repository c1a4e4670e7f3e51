package import CommandLine
internal import Lifecycle
package import Primitives

/// `sluicectl`: parses a command line and runs the command.
package struct Sluicectl: Sendable {
    private let command: Command
    private let console: Console
    private let clocks: Clocks
    private let timeout: Duration
    private let interruptions: @Sendable () -> AsyncStream<String>

    /// - Parameters:
    ///   - parts: the services' contributions.
    ///   - timeout: the timeout for the brokers' first response.
    ///   - interruptions: starts catching SIGINT and SIGTERM, for commands that run until interrupted.
    ///   - publishing: publishes the records of `sluicectl archive`: decisions, accesses and findings.
    package init(
        _ parts: SluicectlParts, console: Console = .standard, clocks: Clocks = .system,
        timeout: Duration = .seconds(10),
        interruptions: @escaping @Sendable () -> AsyncStream<String> = Command.signals,
        publishing: RecordPublishing = .kafka
    ) {
        var parts = parts
        parts.publishing = publishing
        command = SluicectlCommand.command(parts).tolerating(parts.sharedKeys)
        self.console = console
        self.clocks = clocks
        self.timeout = timeout
        self.interruptions = interruptions
    }

    /// - Parameters:
    ///   - arguments: the arguments, without the program name.
    ///   - environment: all environment variables of the process.
    /// - Returns: the exit code. Results and errors have already been printed.
    package func run(_ arguments: [String], environment: [String: String]) async -> Int32 {
        await command.run(
            arguments, environment: environment, console: console, clocks: clocks, timeout: timeout,
            interruptions: interruptions
        ).rawValue
    }
}
