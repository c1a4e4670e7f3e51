import Foundation
import JSON
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl size`. The expected values were calculated by hand.
@Suite struct SizeCommandTests {
    private static let figures = """
        {"figures": {"record.simulated.received": 4000, "record.simulated.median": 2000, "ingress.evp.cpu_us": 100,
          "entitlements.cpu_us": 50, "archive.process.per_core_second": 20000, "archive.bytes_ratio": 1.25,
          "renewal.transactions_156.bytes": 4000, "another": 1}, "bars": {}}
        """

    static let demand = CapacityDemand(
        notificationsPerDay: 1, peak: 1, utilization: 100, replicationFactor: 1, purchases: 1, archiveDays: 1)

    /// Runs the command with these figures, or with another text as the file.
    private func size(
        _ arguments: [String], figures: String = SizeCommandTests.figures
    ) async throws -> (exitCode: Int32, printed: Printed) {
        let file = FileManager.default.temporaryDirectory.appending(path: "figures-\(UUID().uuidString).json")
        try figures.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        return await sluicectl(["size", "--figures", file.path] + arguments)
    }

    private func needed(_ arguments: [String]) async throws -> [String: Int64] {
        let (code, printed) = try await size(arguments + ["--output", "json"])
        #expect(code == 0, "\(printed.complaints)")
        let object = try #require(try printed.objects.first?["needed"]?.object)
        var values: [String: Int64] = [:]
        for name in object.names { values[name] = object[name]?.integer }
        return values
    }

    @Test func `ten notifications a second with a million purchases are sized`() async throws {
        let needed = try await needed(["--notifications-per-day", "864000", "--purchases", "1000000"])
        #expect(
            needed == [
                "averagePerSecond": 10, "peakPerSecond": 100,
                // 100 per second x 100, 50 and 50 us, on half a core.
                "ingressMillicores": 20, "entitlementsMillicores": 10, "archiveMillicores": 10,
                "partitions": 12, "brokers": 3,
                // 864,000 x 2,000 B x 30 days x 3; 1,000,000 x 4,000 B x 3; a third of both.
                "notificationTopicBytes": 155_520_000_000, "entitlementTopicBytes": 12_000_000_000,
                "diskBytesPerBroker": 55_840_000_000,
                "ingressBytesPerSecond": 400_000, "kafkaWrittenBytesPerSecond": 600_000,
                // Entitlements, refunds, reconciler and archive.
                "kafkaReadBytesPerSecond": 800_000,
                "archiveBytesPerDay": 2_160_000_000, "archiveBytes": 864_000_000_000,
                // A segment and two tiles per 256 records; 12 x 17,280 intervals of 5 s, and one per 1,000 records.
                "archiveObjectsPerDay": 10_125, "archiveCheckpointsPerDay": 208_224,
                // One copy per hour for each of the 12 partitions.
                "archiveCopiesPerDay": 288,
            ])
    }

    @Test func `assumptions change the results that depend on them`() async throws {
        let needed = try await needed([
            "--notifications-per-day", "864000", "--peak", "1", "--utilization", "100", "--replication-factor", "1",
            "--archive-days", "10",
        ])
        #expect(needed["peakPerSecond"] == 10)
        #expect(needed["ingressMillicores"] == 1)
        #expect(needed["brokers"] == 1)
        #expect(needed["notificationTopicBytes"] == 51_840_000_000)
        #expect(needed["diskBytesPerBroker"] == 51_840_000_000)
        #expect(needed["archiveBytes"] == 21_600_000_000)
        #expect(needed["entitlementTopicBytes"] == nil)
    }

    @Test func `a billion notifications a day need more partitions than the default`() async throws {
        // 115,741 per second x 50 us are 5.79 cores, 12 members of half a core, times three.
        let needed = try await needed(["--notifications-per-day", "1000000000"])
        #expect(needed["entitlementsMillicores"] == 11_575)
        #expect(needed["partitions"] == 36)
    }

    @Test func `few notifications have at most one checkpoint each`() async throws {
        let needed = try await needed(["--notifications-per-day", "100"])
        #expect(needed["archiveCheckpointsPerDay"] == 100)
        #expect(needed["archiveCopiesPerDay"] == 100)
        #expect(needed["archiveObjectsPerDay"] == 2)
        #expect(needed["averagePerSecond"] == 1)
    }

    @Test func `the text names the figures behind each result`() async throws {
        let (code, printed) = try await size(["--notifications-per-day", "864000"])
        #expect(code == 0)
        let lines = printed.output.split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true)
        }
        #expect(lines.contains(["ingress.evp.cpu_us", "100"]))
        #expect(lines.contains(["archive.bytes_ratio", "1.250"]))
        #expect(lines.contains(["ingressMillicores", "20m", "ingress.evp.cpu_us"]))
        #expect(lines.contains { $0.starts(with: ["notificationTopicBytes", "156", "GB"]) })
        #expect(lines.contains { $0.starts(with: ["kafkaReadBytesPerSecond", "800", "KB/s"]) })
    }

    @Test func `the recorded figures are complete`() async throws {
        let (code, printed) = await sluicectl(["size", "--notifications-per-day", "1000000"])
        #expect(code == 0, "\(printed.complaints)")
    }

    @Test(arguments: [
        ("[]", "must be a result of `make bench`"), ("{\"figures\": {}}", "lack record.simulated.received"),
        (
            Self.figures.replacing("\"archive.bytes_ratio\": 1.25", with: "\"archive.bytes_ratio\": 0"),
            "lack archive.bytes_ratio"
        ),
        (Self.figures.replacing("1.25", with: "\"1.25\""), "lack archive.bytes_ratio"),
        (Self.figures.replacing("1.25", with: "1e999"), "lack archive.bytes_ratio"),
    ])
    func `invalid figures are refused`(_ figures: String, _ part: String) async throws {
        let (code, printed) = try await size(["--notifications-per-day", "1"], figures: figures)
        #expect(code == 64)
        #expect(printed.output.isEmpty)
        #expect(printed.complaints.first?.contains(part) == true, "\(printed.complaints)")
    }

    @Test(arguments: [
        ([], "notifications-per-day"), (["--notifications-per-day", "0"], "notifications-per-day"),
        (["--notifications-per-day", "1", "--peak", "0"], "peak"),
        (["--notifications-per-day", "1", "--utilization", "101"], "utilization"),
    ])
    func `an invalid argument is reported in one line that names the setting`(_ arguments: [String], _ part: String)
        async throws
    {
        let (code, printed) = await sluicectl(["size"] + arguments)
        #expect(code == 64 || code == 78)
        #expect(printed.complaints.count == 1, "\(printed.complaints)")
        #expect(printed.complaints.first?.contains(part) == true, "\(printed.complaints)")
    }
}

/// Checks the page deploy/capacity.md.
@Suite struct CapacityPageTests {
    @Test func `the page shows the output of its command`() async throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../deploy/capacity.md").standardized, encoding: .utf8)
        let blocks = page.components(separatedBy: "```\n")
        let command = try #require(blocks.dropFirst().first?.trimmingPrefix("sluicectl "))
        let (code, printed) = await sluicectl(command.split(whereSeparator: \.isWhitespace).map(String.init))
        #expect(code == 0)
        #expect(blocks.count > 3 && blocks[3] == printed.output)
        // Each result in the output has a row.
        for item in CapacityPlan(SizeCommandTests.demand, try CapacityFigures(CapacityFigures.recorded)).items {
            #expect(page.contains("`\(item.name)`"), "\(item.name)")
        }
    }
}
