internal import Foundation
internal import Kafka

extension ConsumerPeer {
    /// Quix Streams for Python: state in RocksDB, published to a compacted changelog topic.
    ///
    /// - Throws: ``BenchFailure``, which names the missing tool.
    static func quix(sources: String, directory: String) throws -> ConsumerPeer {
        let program = sources + "/quix_peer.py"
        guard FileManager.default.fileExists(atPath: program) else { throw BenchFailure("--consumers: no \(program)") }
        let package = "quixstreams==3.28.0"
        let python = directory + "/bin/python3"
        if (try? Toolchain.run(python, ["-c", "import quixstreams"])) == nil {
            guard (try? Toolchain.run("/usr/bin/env", ["python3", "-m", "venv", directory])) != nil else {
                throw BenchFailure("python3 with venv is not installed")
            }
            let install = ["-m", "pip", "install", "-q", "--disable-pip-version-check", "--retries", "1", package]
            guard (try? Toolchain.run(python, install)) != nil else {
                throw BenchFailure("pip cannot install \(package): is PyPI reachable?")
            }
        }
        return ConsumerPeer(
            name: "quix", group: "peer-quix",
            output: "changelog__peer-quix--appstore.notifications.production--default", createsOutput: true,
            bars: ["renewals": 1.05, "first": 1.5]
        ) { run in
            Running(
                consumer: try PeerProcess(
                    [
                        python, program, run.bootstrapServers, run.input.rawValue,
                        run.group.rawValue, run.directory + "/state",
                    ], log: run.directory + "/log"))
        }
    }
}
