import Lifecycle
import Telemetry
import Testing

@testable import ServiceKit

@Suite struct AdminServiceTests {
    /// The second address belongs to no machine (RFC 5737).
    @Test(arguments: ["nowhere", "192.0.2.1"])
    func `an address that the admin listener cannot use is reported with its setting`(host: String) async {
        let admin = AdminService(
            host: host, port: 0, logger: Logger(label: "test", level: .error, format: .json, sink: MemoryLogSink()),
            metrics: MetricsRegistry())
        let error = await #expect(throws: StartupError.self) { try await admin.start() }
        #expect(error?.setting == "admin.host")
        #expect(error?.problem.contains("cannot listen on \(host):0") == true)
    }
}
