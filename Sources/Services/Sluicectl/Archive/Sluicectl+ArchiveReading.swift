internal import Configuration
internal import Lifecycle
internal import PipelineRuntime

/// Runs the commands of `sluicectl archive` that read the logs.
extension Sluicectl {
    /// Runs the command, or returns nil for any other command. Key stores block, so none of this runs on the
    /// cooperative pool.
    func archiveReading(_ invocation: Invocation) async throws -> ExitCode? {
        try await withTaskExecutorPreference(HandlerThreads.shared) {
            let configuration = invocation.configuration
            switch Array(invocation.commandPath.dropFirst()) {
            case ["status"]:
                return try await ArchiveStatusCommand(configuration: configuration, clocks: clocks, timeout: timeout)
                    .run(console)
            case ["export"]:
                return try await ArchiveExportCommand(
                    configuration: configuration, interruption: Interruption(interruptions()), clocks: clocks,
                    reveals: reveals(configuration)
                ).run(console)
            case ["disclose"]:
                return try await ArchiveDiscloseCommand(configuration: configuration, timeout: timeout)
                    .disclose(invocation.arguments.first ?? "", reveals(configuration), console)
            case ["check-disclosure"]:
                return try await ArchiveDiscloseCommand(configuration: configuration, timeout: timeout)
                    .check(invocation.arguments.first ?? "", console)
            case ["retention"]:
                return try await ArchiveRetentionCommand(configuration: configuration, clocks: clocks).run(console)
            case ["replay"]:
                return try await ArchiveReplayCommand(
                    configuration: configuration, interruption: Interruption(interruptions()), timeout: timeout,
                    reveals: reveals(configuration)
                ).run(console)
            default: return nil
            }
        }
    }
}
