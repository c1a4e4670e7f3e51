internal import Reconciliation

/// The end of a run, with its final state.
enum SweepEnd: Sendable {
    case finished(SweepRun)
    /// The run continues later, at Apple's retry time if there is one.
    case interrupted(SweepRun, SweepInterruption)
    /// The partition was revoked or the process is stopping; the saved state counts.
    case cancelled
}
