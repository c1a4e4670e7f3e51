internal import Cryptography

/// Compares signature checks with a precomputed key table and with EVP, in alternation, for single signatures and for
/// the three signatures of a notification together.
struct FixedKeyBenchmark {
    let probe: VerificationProbe
    let rounds: Int

    private static let turnsPerRound = 100
    private static let notificationsPerTurn = 10

    func run(into report: inout BenchReport) throws {
        report.section("fixed-key table, CPU time per signature")
        let begun = Clocks.threadCPU
        let table: P256FixedKeyTable
        do {
            table = try P256FixedKeyTable(probe.key)
        } catch {
            return report.skip("tables", because: error.message)
        }
        report.add("tables.make_ms", (Clocks.threadCPU - begun) / 1e6, "ms CPU")
        let signature: P256FixedKeyTable.Signature = (probe.digest, probe.signature)
        let (alone, together) = ([signature], [signature, signature, signature])
        var floors: [Double] = []
        var ratios: (alone: [Double], together: [Double]) = ([], [])
        for _ in 0..<rounds * Self.turnsPerRound {
            let floor = try probe.threeBare(count: Self.notificationsPerTurn) / 3
            floors.append(floor)
            ratios.alone.append(try cost(of: alone, times: 3 * Self.notificationsPerTurn, by: table) / floor)
            ratios.together.append(try cost(of: together, times: Self.notificationsPerTurn, by: table) / floor)
        }
        let (floor, noise) = (Distribution(floors).median, Noise(of: floors))
        report.add("tables.evp_us", floor, "us CPU by EVP")
        for (name, ratios) in [("alone", ratios.alone), ("of_three", ratios.together)] {
            report.add("tables.\(name)_us", Distribution(ratios).median * floor, "us CPU by the table")
            report.add("tables.\(name).ratio", Distribution(ratios).median, "of EVP's", digits: 3, noise: noise)
        }
    }

    /// Returns the microseconds per signature.
    private func cost(of batch: [P256FixedKeyTable.Signature], times: Int, by table: P256FixedKeyTable) throws -> Double
    {
        let start = Clocks.threadCPU
        for _ in 0..<times {
            guard !table.verify(batch).contains(false) else { throw BenchFailure("a valid signature was rejected") }
        }
        return (Clocks.threadCPU - start) / 1000 / Double(times * batch.count)
    }
}
