internal import Archive
internal import Cryptography
internal import PipelineRuntime
internal import SharedConfiguration

@main
struct SluiceArchive {
    static func main() async throws {
        // librdkafka and libcurl load libcrypto, whose exit handler may crash a busy process.
        try initializeCryptography()
        await ArchiveApplication.application.tolerating(SharedConfiguration.keys).main()
    }
}
