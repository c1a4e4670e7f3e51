internal import Reconciliation

/// How a run ended, with its final state.
enum SweepEnd: Sendable {
    case finished(SweepRun)
    /// The run continues later: at the retry time that Apple returned, if any.
    case interrupted(SweepRun, SweepInterruption)
    /// The partition was revoked or the process is stopping. The run continues from its saved state.
    case cancelled
}
