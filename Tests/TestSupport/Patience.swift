import Foundation

extension Duration {
    /// What a test waits, or allows, for something that takes at most this long on a quiet machine.
    ///
    /// `make test` runs anywhere, beside anything, and looks for what never comes: it gives six times as long. The long
    /// form of the fault suites (`SLUICE_TEST_LONG=1`) measures, and takes the bound as it is.
    package var patient: Duration { self * Self.patience }

    private static let patience = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == "1" ? 1 : 6
}
