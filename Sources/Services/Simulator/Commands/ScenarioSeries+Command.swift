internal import AppStoreModel
internal import Configuration
internal import FoundationEssentials

extension ScenarioSeries {
    /// Creates the series described by the command line, with its customers and scenarios.
    ///
    /// - Parameter endsAtRefundRequests: whether scenarios end at their refund requests, because the API continues
    ///   them.
    /// - Throws: ``SimulatorError`` if no scenario is selected.
    init(_ configuration: Configuration, endsAtRefundRequests: Bool = false) throws {
        let names = configuration[SimulatorSettings.scenario]
        let scenarios =
            names == "all" ? Scenario.all : names.split(separator: ",").compactMap { Scenario.named(String($0)) }
        let end =
            configuration[SimulatorSettings.asOf]?.millisecondsSince1970
            ?? Int64(Date().timeIntervalSince1970 * 1000)
        guard
            let series = ScenarioSeries(
                scenarios: endsAtRefundRequests ? scenarios.map(\.untilRefundRequest) : scenarios,
                accounts: configuration[SimulatorSettings.accounts],
                app: SimulatedApp(
                    bundleId: configuration[SimulatorSettings.app],
                    appAppleId: AppAppleId(Int64(configuration[SimulatorSettings.appAppleId])),
                    environment: configuration[SimulatorSettings.environment]),
                seed: UInt64(configuration[SimulatorSettings.seed]), endingAt: end,
                formats: configuration[SimulatorSettings.formats],
                receiptTransactions: configuration[SimulatorSettings.receiptTransactions])
        else {
            throw SimulatorError(
                description: "no scenario to play: --scenario is empty, or no event exists in any of --formats")
        }
        self = series
    }
}
