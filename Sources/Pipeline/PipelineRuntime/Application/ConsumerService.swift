internal import Lifecycle
internal import ServiceKit

/// The pipeline with its dead letters: started after everything that the handler needs, and stopped before it.
final class ConsumerService: Service {
    let name = "consumer"
    private let deadLetters: DeadLetterProducer
    private let admin: AdminService
    private let pipeline: PipelineConsumer?

    init(deadLetters: DeadLetterProducer, admin: AdminService, pipeline: PipelineConsumer?) {
        self.deadLetters = deadLetters
        self.admin = admin
        self.pipeline = pipeline
    }

    func start() async throws {
        do {
            try await pipeline?.start()
        } catch {
            await deadLetters.stop(within: .seconds(1))
            throw error
        }
    }

    func run() async throws {
        guard let pipeline else {
            while true { try await Task.sleep(for: .seconds(86_400)) }
        }
        try await pipeline.run()
    }

    /// Readiness, then the pipeline, then dead letters.
    func stop(within limit: Duration) async {
        admin.turnAway()
        await pipeline?.stop(within: limit * 0.9)
        await deadLetters.stop(within: limit * 0.1)
    }
}
