internal import Lifecycle
internal import ServiceKit

/// The pipelines of a process, each with its dead letters: started after everything that the handlers need, and stopped
/// before it.
final class ConsumerService: Service {
    /// A pipeline; nil where the process is in no group.
    struct Member: Sendable {
        let deadLetters: DeadLetterProducer
        let pipeline: PipelineConsumer?

        /// Dead letters last: what the pipeline finishes may need them.
        func stop(within limit: Duration) async {
            await pipeline?.stop(within: limit * 0.9)
            await deadLetters.stop(within: limit * 0.1)
        }
    }

    let name = "consumer"
    private let members: [Member]
    private let admin: AdminService

    init(_ members: [Member], admin: AdminService) {
        self.members = members
        self.admin = admin
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
    }

    /// Throws as soon as one pipeline cannot go on.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for member in members {
                group.addTask {
                    guard let pipeline = member.pipeline else {
                        while true { try await Task.sleep(for: .seconds(86_400)) }
                    }
                    try await pipeline.run()
                }
            }
            try await group.waitForAll()
        }
    }

    /// Readiness first, then all at once.
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
