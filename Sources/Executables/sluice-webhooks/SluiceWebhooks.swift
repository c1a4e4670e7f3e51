internal import Cryptography
internal import PipelineRuntime
internal import SharedConfiguration
internal import Webhooks

@main
struct SluiceWebhooks {
    static func main() async throws {
        // librdkafka and libcurl load libcrypto, whose exit handler may crash a busy process.
        try initializeCryptography()
        await WebhooksApplication.application.tolerating(SharedConfiguration.keys).main()
    }
}
