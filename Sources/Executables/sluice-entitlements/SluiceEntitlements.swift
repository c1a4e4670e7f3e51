internal import Cryptography
internal import Entitlements
internal import PipelineRuntime
internal import SharedConfiguration

@main
struct SluiceEntitlements {
    static func main() async throws {
        // librdkafka loads libcrypto, whose exit handler may crash a busy process.
        try initializeCryptography()
        await EntitlementsApplication.application.tolerating(SharedConfiguration.keys).main()
    }
}
