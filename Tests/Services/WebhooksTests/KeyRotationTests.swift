import HTTPClient
import PipelineTestSupport
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import Webhooks

@Suite struct KeyRotationTests {
    @Test func `a second key signs within a second, and an invalid file changes nothing`() throws {
        let directory = try TemporaryDirectory()
        let secrets = try directory.write(TestKey.line(TestKey.first), to: "secrets")
        let settings = try WebhooksConfiguration(
            configuration(["--webhooks.url", "http://127.0.0.1:1", "--webhooks.secret.file", secrets]))
        let passed = Mutex<UInt64>(Clocks.system.monotonicNanoseconds())
        let clocks = Clocks(wallMilliseconds: { 0 }, monotonicNanoseconds: { passed.withLock { $0 } })
        let sender = WebhookSender(settings, client: HTTPClient(), clocks: clocks)
        let message = WebhooksOperations.testMessage(at: 0)
        func signatures() throws -> Int {
            let headers = try sender.headers(message, 0)
            let value = try #require(headers.first { $0.name == "webhook-signature" }).value
            return value.split(separator: " ").count
        }
        #expect(try signatures() == 1)
        _ = try directory.write(
            [TestKey.first, TestKey.second].map(TestKey.line).joined(separator: "\n"), to: "secrets")
        passed.withLock { $0 += 1_000_000_000 }
        #expect(try signatures() == 2)
        _ = try directory.write(Array("no key".utf8), to: "secrets")
        passed.withLock { $0 += 1_000_000_000 }
        #expect(try signatures() == 2)
    }
}
