internal import Lifecycle
internal import ServiceKit

/// The parts that every consumer has, as one service, so that most of the time to stop is the pipeline's.
final class ConsumerService: Service {
    let name = "consumer"
    private let deadLetters: DeadLetterProducer
    private let admin: AdminService
    private let pipeline: PipelineConsumer

    init(deadLetters: DeadLetterProducer, admin: AdminService, pipeline: PipelineConsumer) {
        self.deadLetters = deadLetters
        self.admin = admin
        self.pipeline = pipeline
    }

    func start() async throws {
        do {
            try await admin.start()
            try await pipeline.start()
        } catch {
            await admin.stop(within: .seconds(1))
            await deadLetters.stop(within: .seconds(1))
            throw error
        }
    }

    func run() async throws {
        try await pipeline.run()
    }

    /// Pipeline, then dead letters, then the listener, which answers until the end.
    func stop(within limit: Duration) async {
        admin.turnAway()
        await pipeline.stop(within: limit * 0.8)
        await deadLetters.stop(within: limit * 0.1)
        await admin.stop(within: limit * 0.1)
    }
}
