internal import Archive
internal import Cryptography
internal import PipelineRuntime
internal import SharedConfiguration

@main
struct SluiceArchive {
    static func main() async throws {
        // Initialize libcrypto before librdkafka and libcurl load it, and without its exit handler, which can crash a
        // process with running threads.
        try initializeCryptography()
        await ArchiveApplication.application.tolerating(SharedConfiguration.keys).main()
    }
}
