internal import Cryptography
internal import PipelineRuntime
internal import Reconciler
internal import SharedConfiguration

@main
struct SluiceReconciler {
    static func main() async throws {
        // librdkafka and libcurl load libcrypto, whose exit handler may crash a busy process.
        try initializeCryptography()
        await ReconcilerApplication.application.tolerating(SharedConfiguration.keys).main()
    }
}
