internal import CommandLine
internal import Configuration
internal import JSON
internal import Lifecycle

/// `sluicectl size`: computes the resources that an installation needs from measured figures, without contacting a
/// broker.
struct SizeCommand {
    static let name = "size"

    let configuration: Configuration

    func run(_ console: Console) async throws -> ExitCode {
        var figures = try CapacityFigures(CapacityFigures.recorded)
        if let file = configuration[SizeSettings.figures] {
            figures = try CapacityFigures(json: try await InputFile.read(file, maximumBytes: 1 << 20))
        }
        let demand = SizeSettings.demand(configuration)
        let plan = CapacityPlan(demand, figures)
        await console.write(configuration, text: text(demand, figures, plan), json: json(demand, figures, plan))
        return .ok
    }

    // MARK: text

    private func text(_ demand: CapacityDemand, _ figures: CapacityFigures, _ plan: CapacityPlan) -> String {
        let assumptions = Self.assumptions(demand).map { [$0.name, String($0.value)] }
        let measured = CapacityFigures.Name.allCases.map { [$0.rawValue, Self.text(figures[$0])] }
        let items = plan.items.map { [$0.name, Self.text($0), $0.basis] }
        return """
            Assumptions
            \(PlainText.table(assumptions, indent: "  "))
            Measured (make bench\(configuration[SizeSettings.figures] == nil ? ", recorded in deploy/capacity.md" : ""))
            \(PlainText.table(measured, indent: "  "))
            Needed
            \(PlainText.table(items, indent: "  "))
            Add one process of each kind, so that one can be down. sluice-refunds, sluice-reconciler and sluice-webhooks
            wait for other services' responses and are not measured.

            """
    }

    private static func text(_ value: Double) -> String {
        let thousandths = Int(exactly: (value * 1000).rounded()) ?? .max
        let digits = "000\(thousandths % 1000)".suffix(3)
        return thousandths % 1000 == 0 ? "\(thousandths / 1000)" : "\(thousandths / 1000).\(digits)"
    }

    private static func text(_ item: CapacityPlan.Item) -> String {
        switch item.unit {
        case .bytes, .bytesPerSecond:
            let units = ["B", "KB", "MB", "GB", "TB", "PB"]
            var value = item.value
            var index = 0
            while value >= 10_000, index < units.count - 1 {
                value = value / 1000 + (value % 1000 == 0 ? 0 : 1)
                index += 1
            }
            return "\(value) \(units[index])\(item.unit == .bytes ? "" : "/s")"
        case .perSecond, .millicores: return "\(item.value)\(item.unit.rawValue)"
        case .count: return "\(item.value)"
        }
    }

    // MARK: JSON

    private static func assumptions(_ demand: CapacityDemand) -> [(name: String, value: Int)] {
        [
            ("notificationsPerDay", demand.notificationsPerDay), ("peak", demand.peak),
            ("utilizationPercent", demand.utilization), ("replicationFactor", demand.replicationFactor),
            ("archiveDays", demand.archiveDays),
        ] + (demand.purchases.map { [("purchases", $0)] } ?? [])
    }

    private func json(_ demand: CapacityDemand, _ figures: CapacityFigures, _ plan: CapacityPlan) -> JSONObject {
        var assumptions = JSONObject()
        for (name, value) in Self.assumptions(demand) { assumptions[name] = .integer(Int64(value)) }
        var measured = JSONObject()
        for name in CapacityFigures.Name.allCases { measured[name.rawValue] = .string(Self.text(figures[name])) }
        var needed = JSONObject()
        for item in plan.items { needed[item.name] = .integer(Int64(item.value)) }
        return [
            OutputName.assumptions: .object(assumptions), OutputName.figures: .object(measured),
            OutputName.needed: .object(needed),
        ]
    }
}
