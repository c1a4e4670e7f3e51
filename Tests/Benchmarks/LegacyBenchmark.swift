internal import AppStoreModel
internal import AppStoreSettings
internal import Cryptography
internal import Foundation
internal import Simulator

/// Measures version 1 bodies of the maximum size, which is a thousand transactions or 1.9 MiB.
struct LegacyBenchmark {
    let app: SimulatedApp
    let now: Int64
    let rounds: Int
    let seconds: Double

    private static let secret = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
    private static let transactions = 1000
    private static let bytes = 1_900_000

    func run(into report: inout BenchReport) throws {
        try compare(into: &report)
        report.section("ingress: version 1 bodies of 1.9 MiB with 1,000 transactions, one at a time")
        let secrets = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-bench-\(getpid()).secrets")
        try Data(Self.secret.utf8).write(to: secrets)
        defer { try? FileManager.default.removeItem(at: secrets) }
        let broker = try ChildProcess("sluice-dev-broker", ["--port", "0"])
        let bootstrap = try broker.ready(field: "bootstrapServers")
        let ingress = try ChildProcess(
            "sluice-ingress",
            [
                "--kafka.bootstrap.servers", bootstrap, "--profile", "single-node", "--revocation", "off",
                "--apps", app.setting, "--apps.\(app.bundleId.rawValue).shared.secret.file", secrets.path,
                "--http.host", "127.0.0.1", "--http.port", "0", "--admin.port", "0", "--duplicates.remembered", "1",
            ])
        guard let port = UInt16(try ingress.ready(field: "port")) else { throw BenchFailure("no port") }
        let bodies = (0..<8).map { body(purchase: 440_000_599_543_880 + $0) }
        let generator = LoadGenerator(port: port, bodies: bodies)
        // Do all one-time allocations before the measurement.
        _ = try generator.run(.init(connections: 1, seconds: seconds / 2))
        Thread.sleep(forTimeInterval: 1)
        let memory = ingress.memory.now
        var costs: [Double] = []
        for _ in 0..<rounds {
            let before = ingress.cpu
            let outcome = try generator.run(.init(connections: 1, seconds: seconds))
            costs.append((ingress.cpu - before) / 1e6 / Double(outcome.accepted))
        }
        report.add(
            "legacy.largest.cpu_ms", Distribution(costs).median, "ms CPU of the ingress each", digits: 2,
            bar: .atMost(100))
        Thread.sleep(forTimeInterval: 1)
        report.add(
            "legacy.largest.memory_growth_mib", ingress.memory.now - memory, "MiB resident more than before the rounds",
            bar: .atMost(16))
        report.add("legacy.memory_peak_mib", ingress.memory.peak, "MiB resident")
        try ingress.stop()
        try broker.stop()
    }

    /// Checks whether the duration of a comparison reveals the position of a wrong character, with Welch's t-test over
    /// 200,000 attempts.
    private func compare(into report: inout BenchReport) throws {
        report.section("version 1: a password that is wrong in its first letter, and one in its last")
        let secrets = try SharedSecrets(lines: Array(Self.secret.utf8))
        let first = Array(("1" + Self.secret.dropFirst()).utf8)
        let last = Array((Self.secret.dropLast() + "1").utf8)
        // Use one buffer, fill it before reading the clock, and alternate the classes in random order, so that the
        // classes differ only in content.
        var buffer = first
        var samples: ([Double], [Double]) = ([], [])
        var matches = 0
        for _ in 0..<200_000 {
            let isFirst = Bool.random()
            for index in buffer.indices { buffer[index] = isFirst ? first[index] : last[index] }
            let begun = Clocks.monotonic
            if secrets.contain(digest: SHA256.digest(of: buffer).bytes) { matches += 1 }
            let seconds = Clocks.monotonic - begun
            if isFirst { samples.0.append(seconds) } else { samples.1.append(seconds) }
        }
        guard matches == 0 else { throw BenchFailure("a wrong password was accepted") }
        // Drop the slowest percent. Interrupts affect both classes and would hide a difference.
        let (left, right) = (Moments(samples.0, upTo: 0.99), Moments(samples.1, upTo: 0.99))
        let t = (left.mean - right.mean) / (left.variance / left.count + right.variance / right.count).squareRoot()
        report.add("legacy.comparison.welch_t", abs(t), "of the two means, absolute", digits: 2, bar: .atMost(4.5))
    }

    private struct Moments {
        let count: Double
        let mean: Double
        let variance: Double

        /// Uses only the smallest samples, up to this share of them.
        init(_ samples: [Double], upTo share: Double) {
            let kept = samples.sorted().prefix(Int(Double(samples.count) * share))
            let count = Double(kept.count)
            let mean = kept.reduce(0, +) / count
            self.count = count
            self.mean = mean
            variance = kept.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
        }
    }

    private func body(purchase: Int) -> [UInt8] {
        var elements: [String] = []
        for index in 0..<Self.transactions {
            let bought = now - 86_400_000 - Int64(index) * 2_592_000_000
            elements.append(
                #"{"transaction_id":"\#(purchase + Self.transactions - index)","original_transaction_id":"\#(purchase)","#
                    + #""web_order_line_item_id":"4400002005\#(index)","product_id":"com.example.pro.month","#
                    + #""quantity":"1","purchase_date":"2026-10-01 00:00:00 Etc/GMT","purchase_date_ms":"\#(bought)","#
                    + #""purchase_date_pst":"2026-09-30 17:00:00 America/Los_Angeles","#
                    + #""original_purchase_date_ms":"1700000000000","expires_date_ms":"\#(bought + 2_592_000_000)","#
                    + #""is_trial_period":"false","is_in_intro_offer_period":"false","#
                    + #""in_app_ownership_type":"PURCHASED","subscription_group_identifier":"20497362"}"#)
        }
        let list = elements.joined(separator: ",")
        let receipt = String(repeating: "M", count: max(0, Self.bytes - list.utf8.count - 700))
        return Array(
            (#"{"notification_type":"DID_RENEW","environment":"PROD","password":"\#(Self.secret)","#
                + #""bid":"\#(app.bundleId.rawValue)","bvrs":"42","auto_renew_product_id":"com.example.pro.month","#
                + #""auto_renew_status":"true","original_transaction_id":\#(purchase),"unified_receipt":{"#
                + #""environment":"Production","status":0,"latest_receipt":"\#(receipt)","#
                + #""latest_receipt_info":[\#(list)],"pending_renewal_info":[{"original_transaction_id":"\#(purchase)","#
                + #""product_id":"com.example.pro.month","auto_renew_product_id":"com.example.pro.month","#
                + #""auto_renew_status":"1"}]}}"#).utf8)
    }
}
