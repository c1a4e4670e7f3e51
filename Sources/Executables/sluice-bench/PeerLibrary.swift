/// A published library, and how to run it: a program of its own that verifies notifications, each with its transaction and
/// its renewal info, as ours does.
///
/// The program is started with the path of the root, the path of the notifications, bundle id, the app's number at Apple
/// and the mode. A line of the notifications is `signedPayload`, `signedTransactionInfo` and `signedRenewalInfo`, with tabs
/// between. It writes `ready` once it has refused a wrong signature and is warm; then it reads numbers, verifies that many
/// notifications, and writes the CPU seconds of all its threads.
struct PeerLibrary: Sendable {
    /// In the report.
    let name: String
    /// With its version, as its registry has it.
    let package: String
    /// The ways in which it can run.
    let modes: [String]
    /// Notifications in a round: a few tenths of a second.
    let bodiesPerRound: Int
    /// How many times our time it should take at least; nil where nothing is promised.
    let atLeast: Double?
    /// Writes the program into a directory of its own and brings the library there; the directory is kept for the next
    /// time. Gives the command to which the arguments are added.
    ///
    /// - Throws: ``BenchFailure`` with what is missing on this machine.
    let prepare: @Sendable (_ directory: String) throws -> [String]

    static let all = [applePython, rustCrate, appleNode, appleJava]
}
