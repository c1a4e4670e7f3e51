import Foundation
import TestSupport
import Testing

@testable import Sluicectl

/// The checks of ports, directories, names and connections, with real sockets and files.
@Suite struct DoctorMachineTests {
    typealias Needs = SluicectlParts.Dependencies

    // MARK: ports

    private static func port(_ host: String, _ port: Int) -> DoctorFinding {
        DoctorPorts.finding(Needs.Listener("http.port", host: host, port: port), of: "sluice-other")
    }

    @Test func `a free port is good, and one in use names the process`() throws {
        let listener = try AnsweringListener(answering: [])
        let used = Self.port("127.0.0.1", Int(listener.port))
        #expect(used.status == .problem, "\(used)")
        #expect(used.found.contains("(pid \(ProcessInfo.processInfo.processIdentifier))"))
        #expect(used.fix?.contains("http.port") == true)
        #expect(Self.port("127.0.0.1", Int(try freePort())).status == .ok)
        #expect(Self.port("127.0.0.1", 0).status == .ok)
        let name = ListeningProcess(port: Int(listener.port))?.name ?? ""
        #expect(ListeningProcess(port: Int(listener.port))?.isOf(name + (name.utf8.count == 15 ? "more" : "")) == true)
    }

    /// The kernel returns `/proc/net/tcp` in pieces of 26 sockets.
    @Test func `each of a hundred listeners is found`() throws {
        let listeners = try (0..<100).map { _ in try AnsweringListener(answering: []) }
        for listener in listeners {
            #expect(ListeningProcess(port: Int(listener.port))?.pid == Int(ProcessInfo.processInfo.processIdentifier))
        }
    }

    @Test func `an address of another machine, and a name, are problems`() {
        // TEST-NET-3 of RFC 5737 is never assigned.
        let foreign = Self.port("203.0.113.1", 8080)
        #expect(foreign.status == .problem && foreign.found.contains("not an address of this machine"))
        #expect(Self.port("nowhere.invalid", 8080).status == .problem)
    }

    // MARK: directories

    private static func findings(
        _ path: String, isCreated: Bool = true, free: UInt64 = 2 << 30, files: UInt64? = 1, type: String = "ext4"
    ) -> [DoctorFinding] {
        DoctorDirectories(
            directory: Needs.Directory("data.dir", path, isCreated: isCreated),
            space: { _ in .init(bytes: free, files: files) }, mount: { _ in MountPoint(directory: "/", type: type) }
        ).findings
    }

    @Test func `a missing directory is good only if the executable can create it`() throws {
        let directory = try TemporaryDirectory()
        let missing = directory.path + "/a/b"
        let created = Self.findings(missing)
        #expect(created.map(\.status) == [.ok])
        #expect(created.first?.found.hasSuffix("can be created in \(directory.path)") == true, "\(created)")
        let required = Self.findings(missing, isCreated: false)
        #expect(required.map(\.status) == [.problem])
        #expect(required.first?.found.hasSuffix("does not exist") == true)
        let file = try directory.write("", to: "file")
        #expect(Self.findings(file).map(\.status) == [.problem])
        let below = Self.findings(file + "/data")
        #expect(below.map(\.status) == [.problem])
        #expect(below.first?.found.contains("is not a directory") == true)
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `a directory without the right to write is a problem`() throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o500)
        defer { chmod(directory.path, 0o700) }
        for path in [directory.path, directory.path + "/new"] {
            let findings = Self.findings(path)
            #expect(findings.map(\.status) == [.problem])
            #expect(findings.first?.found.contains("not writable by this user") == true)
        }
    }

    @Test(arguments: [
        (UInt64(63) << 20, UInt64?(1), FindingStatus.problem), ((1 << 30) - 1, 1, .warning), (1 << 30, 1, .ok),
        (1 << 40, 0, .problem), (1 << 40, nil, .ok),
    ])
    func `little free space is a warning, and none a problem`(
        _ free: UInt64, _ files: UInt64?, _ status: FindingStatus
    ) throws {
        let directory = try TemporaryDirectory()
        #expect(Self.findings(directory.path, free: free, files: files).first?.status == status)
    }

    @Test(arguments: [
        ("ext4", FindingStatus.ok), ("xfs", .ok), ("nfs4", .warning), ("cifs", .warning), ("tmpfs", .warning),
        ("overlay", .warning),
    ])
    func `a file system that loses data or locks is a warning`(_ type: String, _ status: FindingStatus) throws {
        let directory = try TemporaryDirectory()
        #expect(Self.findings(directory.path, type: type).last?.status == status)
    }

    @Test func `the deepest mount point contains a path`() {
        let mounts = """
            21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            30 21 0:40 / /data rw - nfs4 server:/export rw
            31 21 0:41 / /data/with\\040space rw - tmpfs tmpfs rw
            """
        func type(_ path: String) -> String? { MountPoint.containing(path, in: mounts)?.type }
        #expect(type("/data") == "nfs4")
        #expect(type("/database") == "ext4")
        #expect(type("/data/with space/x") == "tmpfs")
        #expect(MountPoint.containing("/", in: "") == nil)
    }

    // MARK: names and connections

    private let network = DoctorNetwork(limit: .seconds(2))

    @Test func `a name that cannot be resolved and a refused connection are problems`() throws {
        let unknown = network.brokers("nowhere.invalid:9092")
        #expect(unknown.map(\.check) == [.dns, .connection])
        #expect(unknown.map(\.status) == [.problem, .unknown])
        #expect(unknown.first?.fix?.contains("kafka.bootstrap.servers") == true)
        let refused = network.brokers("127.0.0.1:\(try freePort())")
        #expect(refused.map(\.status) == [.ok, .problem])
        #expect(refused.last?.found.contains("Connection refused") == true)
    }

    @Test func `with one broker that accepts connections, the failure of another is a warning`() throws {
        let listener = try AnsweringListener(answering: [])
        let findings = network.brokers("127.0.0.1:\(listener.port),127.0.0.1:\(try freePort())")
        #expect(findings.map(\.status) == [.ok, .ok, .ok, .warning])
    }

    @Test func `the server of a URL is reached at its port`() throws {
        let listener = try AnsweringListener(answering: [])
        let findings = network.endpoint("webhooks.url", "http://127.0.0.1:\(listener.port)/in?a=b")
        #expect(findings.map(\.status) == [.ok, .ok])
        #expect(network.endpoint("webhooks.url", "https://nowhere.invalid/in").last?.subject == "nowhere.invalid:443")
        #expect(network.endpoint("webhooks.url", "https://").map(\.status) == [.problem])
    }

    @Test func `bootstrap servers may lack a port, and have a protocol or an IPv6 address`() {
        let servers = DoctorNetwork.servers("kafka-1, PLAINTEXT://kafka-2:9093,[::1]:9094,")
        #expect(servers.map(\.host) == ["kafka-1", "kafka-2", "::1"])
        #expect(servers.map(\.port) == [9092, 9093, 9094])
    }
}
