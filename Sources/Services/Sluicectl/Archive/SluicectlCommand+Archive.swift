internal import CommandLine
internal import Configuration
internal import PipelineRuntime

/// The command line of `sluicectl archive`.
extension SluicectlCommand {
    static func archive(_ parts: SluicectlParts) -> Command {
        Command(
            "archive", summary: "Operate the archive written by sluice-archive: its keys, records and proofs.",
            examples: [
                .init("sluicectl archive status", "Show the size of each log and the age of its checkpoint."),
                .init(
                    "sluicectl archive key show", "Print the public keys to give to anyone who verifies the archive."),
                .init("sluicectl archive verify --key archive.pub", "Check that nothing was changed."),
            ],
            subcommands: archiveReading(parts) + archiveProofs(parts) + archiveDisclosure(parts)
                + archivePersons(parts),
            readsConfiguration: false
                // Calls to stores and key stores block the thread.
        ).running(on: HandlerThreads.shared)
    }
}
