import AppStoreSigning
import AppStoreVerification
import Cryptography
import HTTPClient
import KafkaDevBroker
import Primitives
import Telemetry
import TestSupport
import Testing

@testable import Ingress

/// Tests the preloading of certificates that earlier processes published.
@Suite(.timeLimit(.minutes(5))) struct KnownCertificatesTests {
    /// Returns a chain that any client can build: the trusted leaf and intermediate with an arbitrary third entry, and
    /// an invalid signature.
    private func newChain(_ index: UInt8, _ appStore: TestAppStore) throws -> [UInt8] {
        let texts = [appStore.pki.leaf.der, appStore.pki.intermediate.der, [index, 1, 2]]
            .map { String(decoding: Base64.encode($0), as: UTF8.self) }
        let signer = JWSSigner(header: JWSSigner.header(x5c: texts), key: appStore.untrusted.leafKey)
        return TestAppStore.body(try appStore.renewal(by: signer))
    }

    /// Limits new certificate chains. With the stopped clock only one is permitted.
    private func oneChain(_ settings: inout IngressConfiguration) {
        settings.verifier.newCertificateChains = NewCertificateChainLimits(perSecond: 1, concurrency: 1)
    }

    @Test func `a flood of new certificate chains after a restart does not block the first notification`() async throws
    {
        let broker = try DevBroker()
        let appStore = try TestAppStore.shared()
        let first = try await IngressHarness(broker)
        #expect(try await first.post(TestAppStore.body(try appStore.renewal())).status == 200)
        await first.stop()
        try await IngressHarness.with(
            broker, clocks: TestTime.standing(),
            { settings in
                settings.topics = first.topics
                oneChain(&settings)
            },
            { harness async throws in
                let isTold = harness.log.lines.contains {
                    $0.contains("\"certificates loaded\"") && $0.contains("\"known\":1")
                }
                #expect(isTold)
                #expect(try await harness.post(newChain(0, appStore)).status == 403)
                for number in 1..<20 as Range<UInt8> {
                    #expect(try await harness.post(newChain(number, appStore)).status == 429)
                }
                #expect(try await harness.post(TestAppStore.body(try appStore.renewal())).status == 200)
            })
        await broker.stop()
    }

    @Test func `without records in the topic the limit of new certificate chains applies to the first notification`()
        async throws
    {
        let broker = try DevBroker()
        let appStore = try TestAppStore.shared()
        try await IngressHarness.with(
            broker, clocks: TestTime.standing(), { oneChain(&$0) },
            { harness async throws in
                #expect(try await harness.post(newChain(0, appStore)).status == 403)
                #expect(try await harness.post(TestAppStore.body(try appStore.renewal())).status == 429)
            })
        await broker.stop()
    }
}
