internal import Glibc
package import Telemetry

/// The rest of an executable's main, after arguments and configuration are read: builds the services, runs them until
/// SIGTERM or SIGINT or until one of them ends, writes out the log, and ends the process.
///
/// ```swift
/// @main struct Main {
///     static func main() async {
///         initializeCryptography()
///         let invocation = IngressCommand.command.parseOrExit()
///         let logger = Logger.standardError(label: "sluice-ingress", level: …, format: …)
///         await runApplication(logger: logger) { try await buildIngress(invocation.configuration, logger) }
///     }
/// }
/// ```
///
/// A second signal, or a shutdown beyond the maximum, ends the process at once with a logged line and exit code 1.
///
/// - Parameters:
///   - logger: the logger of the executable.
///   - maximumShutdown: the time for all services to stop.
///   - first: started before `build` is called.
///   - build: makes the services, in start order; throws a ``StartupError`` when it cannot.
package func runApplication(
    logger: Logger, maximumShutdown: Duration = .seconds(10), first: [any Service] = [],
    _ build: @escaping @Sendable () async throws -> [any Service]
) async -> Never {
    let triggers = SignalWatch.triggers(maximum: maximumShutdown) { reason in
        logger.error("exiting at once", [.init(.reason, reason.description)])
        logger.flush(within: .milliseconds(500))
    }
    let exitCode = await runServices(
        logger: logger, maximumShutdown: maximumShutdown, triggers: triggers, first: first, build)
    logger.flush(within: .seconds(1))
    exit(exitCode.rawValue)
}

/// As ``runApplication(logger:maximumShutdown:first:_:)``, without signals and without ending the process; for tests.
package func runServices(
    logger: Logger, maximumShutdown: Duration = .seconds(10), triggers: AsyncStream<String>,
    first: [any Service] = [], _ build: @escaping @Sendable () async throws -> [any Service]
) async -> ExitCode {
    let group = ServiceGroup(first: first, logger: logger, maximumShutdown: maximumShutdown, build: build)
    let exitCode = await group.run(triggers: triggers)
    logger.info("stopped", [.init(.exitCode, exitCode.rawValue)])
    return exitCode
}
