import CommandLine
import Configuration
import Cryptography
import Foundation
import ObjectStorage
import PipelineRuntime
import TestSupport
import Testing
import TransparencyLog

@testable import Archive

/// The stores that `sluicectl doctor` checks.
@Suite struct ArchiveStoresTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func configuration(_ url: String, _ further: [String] = []) throws -> Configuration {
        try initializeCryptography()
        try PrivateKey.generate(.ed25519).pem().write(toFile: directory.file("sign.pem"))
        let (kek, credentials) = (directory.file("kek"), directory.file("credentials"))
        try Array("0123456789abcdef0123456789abcdef".utf8).write(toFile: kek)
        try Array("aws_access_key_id=test\naws_secret_access_key=test\n".utf8).write(toFile: credentials)
        chmod(credentials, 0o600)
        let outcome = ArchiveApplication.application.command.parse(
            [
                "--archive.url", url, "--archive.origin", "example.com/archive", "--archive.signing.key.file",
                directory.file("sign.pem"), "--archive.key.encryption.key.file", kek, "--archive.key.store",
                directory.file("keys.sqlite"), "--archive.s3.credentials.file", credentials,
            ] + further, environment: [:])
        guard case .run(let invocation) = outcome else { throw ArchiveInstallation.NoConfiguration() }
        return invocation.configuration
    }

    /// Returns the error of the check of a bucket on a server with this response.
    private func failure(_ response: String) async throws -> ObjectStoreError? {
        let server = try AnsweringListener(answering: Array(response.utf8))
        let configuration = try configuration(
            "s3://bucket/archive", ["--archive.s3.endpoint", "http://127.0.0.1:\(server.port)"])
        let store = try #require(ArchiveSettings.stores(configuration).first)
        #expect(store.isBucket && store.setting == "archive.url" && store.location == "s3://bucket/archive")
        do {
            try await store.check()
            return nil
        } catch {
            return try #require(error as? ObjectStoreError, "\(error)")
        }
    }

    @Test func `a bucket that denies access fails its check`() async throws {
        let body = "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
        let denied = try await failure(
            "HTTP/1.1 403 Forbidden\r\nContent-Type: application/xml\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        #expect(denied?.code == .denied, "\(denied.map { "\($0)" } ?? "no error")")
    }

    @Test func `a directory is named by its path, and the second store is included`() throws {
        let anchor = directory.file("anchor")
        let stores = ArchiveSettings.stores(
            try configuration("file://\(directory.path)/archive", ["--archive.anchor.url", anchor]))
        #expect(stores.map(\.setting) == ["archive.url", "archive.anchor.url"])
        #expect(stores.map(\.location) == ["\(directory.path)/archive", anchor])
        #expect(!stores.contains { $0.isBucket })
    }

    @Test func `each witness has a URL, and a file without witnesses is an error`() throws {
        let key = try NoteSigner(name: "witness.example", type: .cosignature, key: PrivateKey.generate(.ed25519))
            .verifier.text
        let file = try directory.write("witness.example \(key) https://witness.example/sluice\n", to: "witnesses")
        let flags = ["--archive.anchor.witnesses.file", file]
        let configured = try configuration("file://\(directory.path)/archive", flags)
        let witnesses = try? ArchiveSettings.witnessURLs(configured)
        #expect(witnesses?.urls == ["https://witness.example/sluice"])
        #expect(witnesses?.setting == "archive.anchor.witnesses.file")
        _ = try directory.write("# none\n", to: "witnesses")
        #expect(throws: ConfigurationError.self) { try ArchiveSettings.witnessURLs(configured) }
    }
}
