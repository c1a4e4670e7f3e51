internal import Cryptography
internal import PipelineRuntime
internal import Refunds
internal import SharedConfiguration

@main
struct SluiceRefunds {
    static func main() async throws {
        // Initialize libcrypto before librdkafka and libcurl load it, and without its exit handler, which can crash a
        // process with running threads.
        try initializeCryptography()
        await RefundsApplication.application.tolerating(SharedConfiguration.keys).main()
    }
}
