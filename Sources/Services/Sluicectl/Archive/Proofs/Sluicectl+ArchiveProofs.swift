internal import Configuration
internal import Lifecycle
internal import PipelineRuntime

/// Runs the commands of `sluicectl archive` that verify and prove.
extension Sluicectl {
    /// Runs the command, or returns nil for any other command. Stores and key stores block, so none of this runs on the
    /// cooperative pool.
    func archiveProofs(
        _ invocation: Invocation, _ source: SluicectlParts.Verification
    ) async throws -> ExitCode? {
        try await withTaskExecutorPreference(HandlerThreads.shared) {
            let configuration = invocation.configuration
            switch Array(invocation.commandPath.dropFirst()) {
            case ["verify"]:
                return try await ArchiveVerifyCommand(
                    configuration: configuration, source: source, clocks: clocks, timeout: timeout
                ).run(invocation.arguments, console)
            case ["prove"]:
                return try await ArchiveProveCommand(configuration: configuration, timeout: timeout)
                    .run(invocation.arguments.first, console)
            default: return nil
            }
        }
    }
}
