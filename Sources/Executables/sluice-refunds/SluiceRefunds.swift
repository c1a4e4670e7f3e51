internal import Cryptography
internal import PipelineRuntime
internal import Refunds
internal import SharedConfiguration

@main
struct SluiceRefunds {
    static func main() async throws {
        // librdkafka and libcurl load libcrypto, whose exit handler may crash a busy process.
        try initializeCryptography()
        await RefundsApplication.application.tolerating(SharedConfiguration.keys).main()
    }
}
