/// A published library and the way to run it: a separate program that verifies notifications, each with its transaction
/// and its renewal info, as ours does.
///
/// The program is started with the path of the root, the path of the notifications, the bundle id, Apple's app id and
/// the mode. A line of the notifications is `signedPayload`, `signedTransactionInfo` and `signedRenewalInfo`, separated
/// by tabs. The program writes `ready` once it has refused a wrong signature and is warm; then it reads numbers,
/// verifies that many notifications, and writes the CPU seconds of all its threads.
struct PeerLibrary: Sendable {
    /// The name in the report.
    let name: String
    /// Package and version, as spelled by its registry.
    let package: String
    /// The modes in which it can run.
    let modes: [String]
    /// Number of notifications in a round: a few tenths of a second.
    let bodiesPerRound: Int
    /// Expected minimum time relative to ours; nil without an expectation.
    let atLeast: Double?
    /// Writes the program into its own directory and installs the library there; the directory is kept for the next
    /// run. Returns the command to which the arguments are added.
    ///
    /// - Throws: ``BenchFailure`` that names the tool missing on this machine.
    let prepare: @Sendable (_ directory: String) throws -> [String]

    static let all = [applePython, rustCrate, appleNode, appleJava]
}
