internal import Configuration

/// The command line of `sluicectl archive`.
extension SluicectlCommand {
    static let archive = Command(
        "archive", summary: "Operate the archive of sluice-archive: its keys, its records, and their proofs.",
        examples: [.init("sluicectl archive key show", "The public keys, for whoever verifies the archive.")],
        subcommands: archivePersons, readsConfiguration: false)
}
