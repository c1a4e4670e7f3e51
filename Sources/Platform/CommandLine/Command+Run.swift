internal import Configuration
package import Lifecycle
package import Primitives

extension Command {
    /// Parses a command line, runs the selected command, and prints its result or errors.
    ///
    /// - Parameters:
    ///   - arguments: the arguments without the program's name.
    ///   - environment: all environment variables of the process.
    ///   - timeout: the timeout for the first response from a remote service.
    ///   - interruptions: starts catching SIGINT and SIGTERM, for commands that run until interrupted.
    package func run(
        _ arguments: [String], environment: [String: String], console: Console = .standard, clocks: Clocks = .system,
        timeout: Duration = .seconds(10),
        interruptions: @escaping @Sendable () -> AsyncStream<String> = Command.signals
    ) async -> ExitCode {
        switch parse(arguments, environment: environment) {
        case .show(let text):
            await console.write(text)
            return .ok
        case .refuse(let lines, let exitCode):
            for line in lines { console.complain(line) }
            return ExitCode(rawValue: exitCode)
        case .run(let invocation):
            for line in invocation.warnings { console.complain(line) }
            do {
                return try await invocation.run(
                    CommandContext(
                        invocation, console: console, clocks: clocks, timeout: timeout, interruptions: interruptions,
                        processArguments: arguments, environment: environment))
            } catch {
                return report(error, console)
            }
        }
    }

    /// Yields SIGINT and SIGTERM. The process ends on a second signal, or about ten seconds after the first.
    package static let signals: @Sendable () -> AsyncStream<String> = {
        SignalWatch.triggers(maximum: .seconds(10)) { _ in }
    }

    /// Prints the error on one line and returns its exit code.
    private func report(_ error: any Error, _ console: Console) -> ExitCode {
        if let error = error as? ConfigurationError,
            case .refuse(let lines, let exitCode) = refusal(ConfigurationErrors([error]))
        {
            for line in lines { console.complain(line) }
            return ExitCode(rawValue: exitCode)
        }
        let failure = error as? any TerminatingError
        let line = failure?.line ?? "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
        console.complain("\(name): \(line)")
        return failure?.exitCode ?? .failure
    }
}
