import Foundation

extension Duration {
    /// How long a test waits for something that takes at most this long on a quiet machine.
    ///
    /// `make test` runs on any machine, beside any load, and looks for what never comes: it waits six times as long.
    /// The long form of the fault suites (`SLUICE_TEST_LONG=1`) measures, and takes the limit as it is.
    package var scaled: Duration { self * Self.timeoutScale }

    private static let timeoutScale = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == "1" ? 1 : 6
}
