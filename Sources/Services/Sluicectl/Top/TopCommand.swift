internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import HTTPClient
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Primitives
internal import Records
internal import ServiceKit

/// `sluicectl top`: shows the members and groups of an installation, refreshed until interrupted.
struct TopCommand {
    let configuration: Configuration
    let access: SluicectlParts.Access?
    let clocks: Clocks
    /// Timeout for the brokers' first response.
    let timeout: Duration
    /// Yields when the operator interrupts the command.
    let interruption: AsyncStream<String>
    /// Waits between readings.
    let pause: @Sendable (Duration) async throws -> Void

    private static let clearScreen = "\u{1B}[H\u{1B}[2J"

    func run(_ console: Console) async throws -> ExitCode {
        let urls = try members()
        let brokers = try Brokers(configuration, timeout: timeout)
        let admin = try brokers.admin()
        let client = HTTPClient()
        defer { client.close() }
        return try await admin.closing { admin in
            try await withThrowingTaskGroup(of: ExitCode.self) { group in
                group.addTask { try await refresh(urls, admin, client, console) }
                group.addTask {
                    for await _ in interruption { return .ok }
                    // The stream ended without an interruption, because this task was cancelled.
                    return .ok
                }
                defer { group.cancelAll() }
                return try await group.next() ?? .ok
            }
        }
    }

    /// Prints a single snapshot, or snapshots until the output is closed.
    private func refresh(
        _ urls: [String], _ admin: KafkaAdmin, _ client: HTTPClient, _ console: Console
    ) async throws -> ExitCode {
        var earlier: TopSnapshot?
        while true {
            let snapshot = await read(urls, admin, client)
            // The rates in a single snapshot require two readings.
            if !isOnce || earlier != nil {
                let isOpen = await print(TopReport(snapshot: snapshot, earlier: earlier), console)
                if isOnce { return snapshot.isHealthy ? .ok : .failure }
                guard isOpen else { return .ok }
            }
            earlier = snapshot
            try await pause(configuration[TopSettings.interval])
        }
    }

    private var isOnce: Bool { configuration[TopSettings.once] }

    private func print(_ report: TopReport, _ console: Console) async -> Bool {
        if configuration[OperationsSettings.output] == .json {
            return await console.write(line: JSONValue.object(report.json).json)
        }
        guard !isOnce, let size = console.size() else {
            return await console.write(report.text(columns: .max, rows: .max) + (isOnce ? "" : "\n"))
        }
        // Leave the last row for the cursor.
        return await console.write(Self.clearScreen + report.text(columns: size.columns, rows: size.rows - 1))
    }

    private func members() throws(StartupError) -> [String] {
        var urls: [String] = []
        for member in configuration[TopSettings.members] ?? [] {
            let url = member.contains("://") ? member : "http://" + member
            guard url.hasPrefix("http://") || url.hasPrefix("https://"), !url.utf8.contains(UInt8(ascii: " ")) else {
                throw StartupError(
                    "not an admin listener address: \(PlainText.printable(member))", setting: "--members",
                    fix: "Pass addresses such as 127.0.0.1:9464, separated by commas", exitCode: .usage)
            }
            urls.append(url.hasSuffix("/") ? String(url.dropLast()) : url)
        }
        return urls
    }

    private func read(
        _ urls: [String], _ admin: KafkaAdmin, _ client: HTTPClient
    ) async -> TopSnapshot {
        let limit = min(timeout, .seconds(5))
        var snapshot = TopSnapshot(
            at: AppStoreInstant(millisecondsSince1970: clocks.wallMilliseconds()),
            monotonic: clocks.monotonicNanoseconds())
        async let lags = groups(admin, within: limit)
        snapshot.members = await withTaskGroup(of: (Int, TopMember).self) { group in
            for (index, url) in urls.enumerated() {
                group.addTask { (index, await TopMember.read(url, client, within: limit)) }
            }
            var members: [(Int, TopMember)] = []
            for await member in group { members.append(member) }
            return members.sorted { $0.0 < $1.0 }.map(\.1)
        }
        let read = await lags
        snapshot.setGroups(read)
        return snapshot
    }

    private func groups(
        _ admin: KafkaAdmin, within limit: Duration
    ) async -> Result<TopGroups, KafkaError> {
        let names = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix])
        let groups = ClusterGroup.all(names, configuration, access?.options(configuration))
        do throws(KafkaError) {
            let isEmbedded = try await admin.isEmbeddedBroker(within: limit)
            return .success(try await TopGroups.all(groups, isEmbedded: isEmbedded, admin, within: limit))
        } catch {
            return .failure(error)
        }
    }
}
