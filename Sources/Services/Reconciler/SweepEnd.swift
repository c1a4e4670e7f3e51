internal import Reconciliation

/// How a run ended, with all that it has come to.
enum SweepEnd: Sendable {
    case finished(SweepRun)
    /// It goes on later; where Apple named a time, then.
    case interrupted(SweepRun, SweepInterruption)
    /// The partition was revoked, or the process stops; what was saved counts.
    case cancelled
}
