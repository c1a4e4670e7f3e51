internal import Lifecycle
internal import ServiceKit

/// The pipelines of a process, each with its dead letter producer. They start after all services that the handlers
/// need, and stop before them.
final class ConsumerService: Service {
    /// A pipeline with its dead letter producer. The pipeline is nil if the process joins no group.
    struct Member: Sendable {
        let deadLetters: DeadLetterProducer
        let pipeline: PipelineConsumer?

        /// Stops the pipeline, then the dead letter producer, because the last records may need it.
        func stop(within limit: Duration) async {
            await pipeline?.stop(within: limit * 0.9)
            await deadLetters.stop(within: limit * 0.1)
        }
    }

    let name = "consumer"
    private let members: [Member]
    private let admin: AdminService
    private let started: @Sendable () -> Void

    /// - Parameter started: called once all pipelines have started.
    init(_ members: [Member], admin: AdminService, started: @escaping @Sendable () -> Void) {
        self.members = members
        self.admin = admin
        self.started = started
    }

    func start() async throws {
        for (number, member) in members.enumerated() {
            do {
                try await member.pipeline?.start()
            } catch {
                await stop(members[..<number], within: .seconds(5))
                for other in members[number...] { await other.deadLetters.stop(within: .seconds(1)) }
                throw error
            }
        }
        started()
    }

    /// Runs all pipelines. Throws as soon as one of them fails permanently.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for member in members {
                group.addTask {
                    guard let pipeline = member.pipeline else { return try await self.rest() }
                    try await pipeline.run()
                }
            }
            try await group.waitForAll()
        }
    }

    /// Marks the process as not ready, then stops all members concurrently.
    func stop(within limit: Duration) async {
        admin.turnAway()
        await stop(members[...], within: limit)
    }

    private func stop(_ members: ArraySlice<Member>, within limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            for member in members { group.addTask { await member.stop(within: limit) } }
        }
    }
}
