import Foundation
import Testing

/// Every service has the same files, so that anyone who knows one service can find their way around the others.
@Suite struct ServiceShapeTests {
    private static let services = ["Archive", "Entitlements", "Ingress", "Reconciler", "Refunds", "Webhooks"]
    /// The command line and topics, the settings, their checked values, the composition, and the names and metrics that
    /// operators see.
    private static let files = ["Application", "Settings", "Configuration", "Service", "Metrics", "Names"]

    private static func names(of service: String) throws -> Set<String> {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/Services/\(service)")
        return Set(try FileManager.default.contentsOfDirectory(atPath: sources.path(percentEncoded: false)))
    }

    @Test(arguments: services) func `a service has an application, settings, a composition and metrics`(
        _ service: String
    ) throws {
        let missing = Set(Self.files.map { "\(service)\($0).swift" }).subtracting(try Self.names(of: service))
        #expect(missing.isEmpty)
    }

    @Test(arguments: services.filter { $0 != "Ingress" }) func `a consumer has a handler`(_ service: String) throws {
        #expect(try Self.names(of: service).contains("\(service)Handler.swift"))
    }

    @Test(arguments: ["Entitlements", "Reconciler", "Refunds"]) func `a service with a state has a model`(
        _ service: String
    ) throws {
        #expect(try Self.names(of: service).contains("\(service)Model.swift"))
    }

    @Test(arguments: services) func `no file of a service is named after a plan or its parts`(
        _ service: String
    ) throws {
        let others = try Self.names(of: service).filter { name in
            ["Plan", "Parts", "Surroundings"].contains { name.contains($0) }
        }
        #expect(others.isEmpty)
    }
}
