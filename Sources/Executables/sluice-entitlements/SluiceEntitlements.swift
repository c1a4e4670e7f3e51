internal import Cryptography
internal import Entitlements
internal import PipelineRuntime
internal import SharedConfiguration

@main
struct SluiceEntitlements {
    static func main() async throws {
        // Initialize libcrypto before librdkafka loads it, and without its exit handler, which can crash a process with
        // running threads.
        try initializeCryptography()
        await EntitlementsApplication.application.tolerating(SharedConfiguration.keys).main()
    }
}
