internal import Foundation

/// Measures the cost of an ingress relative to verification alone, and the cost of a duplicate relative to a first
/// post. Verification, bare signature checks and the ingress alternate in turns of half a second, so that other
/// activity on the machine affects all of them equally.
struct IngressTurns {
    let probes: Probes
    let surroundings: IngressProcess.Surroundings
    let rounds: Int
    let seconds: Double

    private static let secondsPerTurn = 0.5
    private static let bodiesPerTurn = 200
    private static let connections = 64
    /// The number of workers per ingress. All of them run at the same time, because each core is slower while the
    /// others are busy.
    private static let threads = ProcessInfo.processInfo.activeProcessorCount

    /// Two ingresses with the same settings. One writes a record for every notification, and the other treats every
    /// notification as a duplicate.
    private struct Pair {
        let name: String
        /// A probe for the same verification without an ingress.
        let probe: VerificationProbe
        let first: IngressProcess
        let again: IngressProcess
        var verifications: [Double] = []
        var firsts: [IngressProcess.Turn] = []
        var duplicates: [IngressProcess.Turn] = []

        init(
            _ name: String, _ probe: VerificationProbe, _ surroundings: IngressProcess.Surroundings,
            _ settings: [String: String] = [:]
        ) throws {
            self.name = name
            self.probe = probe
            first = try IngressProcess(surroundings, settings: settings)
            again = try IngressProcess(surroundings, window: .all, settings: settings)
            // Posts until every body is acknowledged and all one-time allocations are done.
            _ = try again.generator.run(
                .init(connections: connections, requests: 2 * surroundings.bodies.count, seconds: 60))
            _ = try first.turn(.init(connections: connections, seconds: secondsPerTurn))
        }

        mutating func run(turn: Int) throws {
            let costs = try probe.whole(round: turn, count: bodiesPerTurn, threads: threads)
            verifications.append(costs.reduce(0, +) / Double(costs.count))
            firsts.append(try first.turn(.init(connections: connections, seconds: secondsPerTurn)))
            duplicates.append(try again.turn(.init(connections: connections, seconds: secondsPerTurn)))
        }

        func stop() throws {
            try first.child.stop()
            try again.child.stop()
        }
    }

    func run(into report: inout BenchReport) throws {
        report.section("ingress and its own verification, in turns, at \(Self.connections) connections")
        var pairs = [try Pair("evp", probes.evp, surroundings)]
        if let probe = probes.tables {
            pairs.append(try Pair("tables", probe, surroundings, ["verification.tables": "on"]))
        } else {
            report.skip("ingress.tables", because: probes.whyNoTables ?? "")
        }
        var floors: [Double] = []
        for turn in 0..<max(1, Int(Double(rounds) * seconds / Self.secondsPerTurn)) {
            for index in pairs.indices {
                floors.append(try probes.evp.threeBare(count: Self.bodiesPerTurn))
                try pairs[index].run(turn: turn)
            }
        }
        let noise = Noise(of: floors)
        report.add("turns.three_bare_us", Distribution(floors).median, "us CPU for three EVP_PKEY_verify")
        report.add("turns.noise_percent", noise.percent, "% between the floor's 10th and 90th percentile")
        for pair in pairs {
            add(pair, noise, into: &report)
            try pair.stop()
        }
    }

    private func add(_ pair: Pair, _ noise: Noise, into report: inout BenchReport) {
        let name = "ingress.\(pair.name)"
        report.add(
            "\(name).verification_us", Distribution(pair.verifications).median,
            "us CPU, without an ingress, on as many threads")
        report.add("\(name).cpu_us", Distribution(pair.firsts.map(\.cost)).median, "us CPU of the ingress each")
        for role in ThreadTimes.Role.allCases {
            report.add(
                "\(name).\(role.rawValue)_us", Distribution(pair.firsts.map { $0.costs[role] ?? 0 }).median, "us")
        }
        report.add(
            "\(name).duplicate_us", Distribution(pair.duplicates.map(\.cost)).median, "us CPU of the ingress each")
        // Ratios are computed within a turn, because a slow machine affects both sides equally.
        report.add(
            "\(name).ratio", Distribution(zip(pair.firsts, pair.verifications).map { $0.cost / $1 }).median,
            "x its own verification", digits: 3, bar: .atMost(1.35), noise: noise)
        report.add(
            "\(name).duplicate_ratio", Distribution(zip(pair.duplicates, pair.firsts).map { $0.cost / $1.cost }).median,
            "of a first", digits: 3, bar: .atMost(0.45), noise: noise)
    }
}
