internal import ArchiveLog
internal import Configuration
internal import Lifecycle
internal import PipelineRuntime

/// Runs the commands of `sluicectl archive` for keys and persons.
extension Sluicectl {
    /// Runs the command, or returns nil for any other command. Key stores block, so none of this runs on the
    /// cooperative pool.
    func archivePersons(_ invocation: Invocation) async throws -> ExitCode? {
        try await withTaskExecutorPreference(HandlerThreads.shared) {
            let configuration = invocation.configuration
            let argument = invocation.arguments.first ?? ""
            switch Array(invocation.commandPath.dropFirst()) {
            case ["find"]: return try await ArchiveFindCommand(configuration: configuration).find(argument, console)
            case ["show"]:
                return try await ArchiveFindCommand(configuration: configuration)
                    .show(argument, reveals(configuration), console)
            case ["erase"]: return try await decision(.erase, configuration).run(console)
            case ["hold"]: return try await decision(.hold, configuration).run(console)
            case ["release"]: return try await decision(.release, configuration).run(console)
            case ["key", "signing"]:
                return try await ArchiveKeyCommand(configuration: configuration).signing(argument, console)
            case ["key", "encryption"]:
                return try await ArchiveKeyCommand(configuration: configuration).encryption(argument, console)
            case ["key", "show"]:
                return try await ArchiveKeyCommand(configuration: configuration).show(argument, console)
            case ["key", "check"]: return try await ArchiveKeyStoreReport(configuration: configuration).run(console)
            case ["key", "backup"]:
                return try await ArchiveKeyStoreReport(configuration: configuration).backUp(argument, console)
            default: return nil
            }
        }
    }

    private func decision(_ action: ArchiveDecisionCommand.Action, _ configuration: Configuration)
        -> ArchiveDecisionCommand
    {
        ArchiveDecisionCommand(action: action, configuration: configuration, clocks: clocks, timeout: timeout)
    }
}
