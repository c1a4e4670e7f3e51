internal import Cryptography
internal import PipelineRuntime
internal import SharedConfiguration
internal import Webhooks

@main
struct SluiceWebhooks {
    static func main() async throws {
        // Initialize libcrypto before librdkafka and libcurl load it, and without its exit handler, which can crash a
        // process with running threads.
        try initializeCryptography()
        await WebhooksApplication.application.tolerating(SharedConfiguration.keys).main()
    }
}
