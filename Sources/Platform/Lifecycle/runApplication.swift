internal import Glibc
package import Telemetry

/// Runs the rest of an executable's main function, after the arguments and the configuration have been read: creates
/// the services, runs them until SIGTERM or SIGINT arrives or one of them ends, flushes the log, and exits.
///
/// ```swift
/// @main struct Main {
///     static func main() async {
///         initializeCryptography()
///         let invocation = IngressApplication.command.parseOrExit()
///         let logger = Logger.standardError(label: "sluice-ingress", level: …, format: …)
///         await runApplication(logger: logger) { try await buildIngress(invocation.configuration, logger) }
///     }
/// }
/// ```
///
/// On a second signal, or if the shutdown takes too long, the process logs a line and exits at once with code 1.
///
/// - Parameters:
///   - logger: the executable's logger.
///   - maximumShutdown: the maximum time for all services to stop.
///   - first: services that start before `build` is called.
///   - build: creates the services in start order. It throws a ``StartupError`` on failure.
package func runApplication(
    logger: Logger, maximumShutdown: Duration = .seconds(10), first: [any Service] = [],
    _ build: @escaping @Sendable () async throws -> [any Service]
) async -> Never {
    let triggers = SignalWatch.triggers(maximum: maximumShutdown) { reason in
        logger.error("exiting immediately", [.init(.reason, reason.description)])
        logger.flush(within: .milliseconds(500))
    }
    let exitCode = await runServices(
        logger: logger, maximumShutdown: maximumShutdown, triggers: triggers, first: first, build)
    logger.flush(within: .seconds(1))
    exit(exitCode.rawValue)
}

/// For tests: runs services as ``runApplication(logger:maximumShutdown:first:_:)`` does, but without handling signals
/// or exiting.
package func runServices(
    logger: Logger, maximumShutdown: Duration = .seconds(10), triggers: AsyncStream<String>,
    first: [any Service] = [], _ build: @escaping @Sendable () async throws -> [any Service]
) async -> ExitCode {
    let group = ServiceGroup(first: first, logger: logger, maximumShutdown: maximumShutdown, build: build)
    let exitCode = await group.run(triggers: triggers)
    logger.info("stopped", [.init(.exitCode, exitCode.rawValue)])
    return exitCode
}
