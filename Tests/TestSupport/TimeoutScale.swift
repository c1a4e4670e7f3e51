import Foundation

extension Duration {
    /// The test timeout for an operation that takes at most this long on an idle machine.
    ///
    /// `make test` runs on any machine under any load and detects operations that never complete, so it waits six times
    /// as long. The long form of the fault suites (`SLUICE_TEST_LONG=1`) measures times, so it uses the limit
    /// unchanged.
    package var scaled: Duration { self * Self.timeoutScale }

    private static let timeoutScale = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == "1" ? 1 : 6
}
