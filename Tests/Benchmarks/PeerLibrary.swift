/// A published library and the program that runs it. The program verifies notifications as ours does, each with its
/// transaction and renewal info.
///
/// The arguments of the program are the path of the root certificate, the path of the notifications file, the bundle
/// ID, Apple's app ID and the mode. Each line of the notifications file has `signedPayload`, `signedTransactionInfo`
/// and `signedRenewalInfo`, separated by tabs. The program writes `ready` after it has rejected an invalid signature
/// and warmed up. For each number that it then reads, it verifies that many notifications and writes the CPU time of
/// all its threads in seconds.
struct PeerLibrary: Sendable {
    /// The library's name in the report.
    let name: String
    /// The package and version, as spelled in the registry.
    let package: String
    /// The modes that the program supports.
    let modes: [String]
    /// The number of notifications per round, which takes a few tenths of a second.
    let bodiesPerRound: Int
    /// The minimum expected time relative to ours, or nil if there is no expectation.
    let atLeast: Double?
    /// Writes the program to its own directory, installs the library there, and returns the command that the arguments
    /// are appended to. The directory is kept for the next run.
    ///
    /// - Throws: ``BenchFailure``, which names the missing tool, if this machine lacks one.
    let prepare: @Sendable (_ directory: String) throws -> [String]

    static let all = [applePython, rustCrate, appleNode, appleJava]
}
