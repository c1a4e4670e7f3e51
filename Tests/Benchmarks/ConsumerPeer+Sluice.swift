internal import AppStoreModel
internal import Foundation
internal import Kafka
internal import Records

extension ConsumerPeer {
    /// `sluice-entitlements`, measured in the same way as the others.
    static var sluice: ConsumerPeer {
        ConsumerPeer(
            name: "sluice", group: "sluice-entitlements", output: TopicNames().entitlements(.production),
            createsOutput: false, bars: [:]
        ) { run in
            let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            return Running(
                consumer: try PeerProcess(
                    [
                        directory.appendingPathComponent("sluice-entitlements").path,
                        "--kafka.bootstrap.servers", run.bootstrapServers, "--profile", "single-node",
                        "--data.dir", run.directory, "--http.port", "0", "--admin.port", "0",
                    ], log: run.directory + "/log"))
        }
    }
}
