internal import Foundation
internal import Kafka

extension ConsumerPeer {
    /// A Java program with Kafka's client and PostgreSQL. The server's CPU time is included.
    ///
    /// - Throws: ``BenchFailure``, which names the missing tool.
    static func postgreSQL(sources: String, directory: String, kafkaHome: String) throws -> ConsumerPeer {
        let program = sources + "/java/PostgresPeer.java"
        guard FileManager.default.fileExists(atPath: program) else { throw BenchFailure("--consumers: no \(program)") }
        let driver = "/usr/share/java/postgresql.jar"
        guard FileManager.default.fileExists(atPath: driver) else {
            throw BenchFailure("PostgreSQL's driver is not installed: apt install libpostgresql-jdbc-java")
        }
        guard let server = PostgreSQLServer.programs else {
            throw BenchFailure("PostgreSQL is not installed: apt install postgresql")
        }
        let libraries = "\(kafkaHome)/libs/*:\(driver)"
        let files = ["Json", "Notification", "Purchase", "PostgresPeer"].map { "\(sources)/java/\($0).java" }
        let compile = ["javac", "-cp", libraries, "-d", directory + "/classes"] + files
        guard (try? Toolchain.run("/usr/bin/env", compile)) != nil else {
            throw BenchFailure("javac cannot compile it: is a JDK installed?")
        }
        return ConsumerPeer(
            name: "postgresql", group: "peer-java", output: "peer.java", createsOutput: false,
            bars: ["renewals": 0.65]
        ) { run in
            let database = try PostgreSQLServer(programs: server, directory: run.directory)
            let consumer = try PeerProcess(
                [
                    "java", "-Xmx512m", "-cp", "\(directory)/classes:\(sources)/java:\(libraries)", "PostgresPeer",
                    run.bootstrapServers, run.input.rawValue, run.output.rawValue, run.group.rawValue, database.url,
                ], log: run.directory + "/log")
            return Running(consumer: consumer, servers: [database.process])
        }
    }
}

/// A PostgreSQL server with an empty database and the settings of its distribution.
private struct PostgreSQLServer {
    let process: PeerProcess
    /// The JDBC address.
    let url: String

    /// The directory of the server's programs on Debian, or nil if it is not installed.
    static var programs: String? {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest = versions.compactMap { Int($0) }.max()
        return newest.map { "\(root)/\($0)/bin" }
    }

    init(programs: String, directory: String) throws {
        let data = directory + "/postgresql"
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        // PostgreSQL refuses to run as root.
        let asUser = geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
        if geteuid() == 0 {
            try Toolchain.run("/usr/bin/env", ["chown", "postgres:postgres", data])
            // The server also needs access to the directories above.
            try Toolchain.run("/usr/bin/env", ["chmod", "a+x", directory])
        }
        try Toolchain.run(
            "/usr/bin/env", asUser + [programs + "/initdb", "-A", "trust", "-U", "postgres", "-D", data])
        let port = try Self.freePort()
        process = try PeerProcess(
            asUser + [
                programs + "/postgres", "-D", data, "-p", "\(port)", "-h", "127.0.0.1", "-k", data,
            ], log: directory + "/postgresql.log")
        url = "jdbc:postgresql://127.0.0.1:\(port)/postgres?user=postgres"
        let deadline = Date() + 30
        while (try? Toolchain.run(programs + "/pg_isready", ["-q", "-h", "127.0.0.1", "-p", "\(port)"])) == nil {
            try process.check()
            guard Date() < deadline else { throw BenchFailure("PostgreSQL was not ready after 30 s") }
        }
    }

    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw BenchFailure("no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
