import AppStoreModel
import AppStoreServerAPI
import Kafka
import KeyedState
import Records
import RefundRules
import Telemetry

@testable import PipelineRuntime
@testable import Refunds

/// The parts of `sluice-refunds` in one process.
final class RefundsMember: SimulatedService {
    let cases: SimulatedState<RefundsModel>
    let handler: any BatchHandler
    private unowned let process: SimulatedProcess
    private let scheduler: RefundScheduler

    init(_ workload: RefundsWorkload, _ process: SimulatedProcess, path: String) throws {
        self.process = process
        let names = process.simulation.names
        var model = RefundsModel()
        model.environments = [names.state: .production]
        var options = StateOptions(path: path, topics: [names.input: names.state])
        let due = Self.due(workload, process)
        options.revoked = { _ in await due.release(.finished(within: .seconds(5))) }
        cases = try SimulatedState(model, options, counts: [names.state: Simulation.partitions], of: process)
        let scheduler = Self.scheduler(workload, process, cases.state, model, due)
        self.scheduler = scheduler
        handler = RefundsHandler.handler(
            of: cases.state, topics: TopicNames(), ignored: [], metrics: workload.metrics, clocks: process.clocks
        ) { scheduler.wake() }
    }

    var state: any SteppedState { cases }

    func start() throws {
        let scheduler = scheduler
        try cases.start { scheduler.wake() }
        _ = process.task { try? await scheduler.run() }
    }

    func stop() async { await scheduler.stop(within: .zero) }

    private static func due(
        _ workload: RefundsWorkload, _ process: SimulatedProcess
    ) -> DueWork<RefundSchedule.CaseKey> {
        DueWork(
            on: process.executor,
            sleep: { [unowned process] in
                // A dead process cancels its work at once.
                guard !process.isDead else { return }
                guard await process.sleep(Int64($0.components.seconds) * 1_000) else { throw CancellationError() }
            },
            pause: { [unowned process, unowned workload] in
                guard await process.sleep(workload.untilNextLook()) else { throw CancellationError() }
            })
    }

    private static func scheduler(
        _ workload: RefundsWorkload, _ process: SimulatedProcess, _ state: KeyedState<RefundsModel>,
        _ model: RefundsModel, _ due: DueWork<RefundSchedule.CaseKey>
    ) -> RefundScheduler {
        let store = SimulatedStore(state: state, input: process.simulation.names.input)
        let log = RateLimitedLogger(SimulatedProcess.logger, perSecond: 1)
        let metrics = workload.metrics
        let app = BundleId(RefundsPlan.app)
        let decisions = RefundDecisions(
            rules: workload.rules, apps: [app], provider: workload.company, fallback: .withhold,
            fallbackMargin: SimulationTime.hour, api: SimulatedConnection(process: process, apple: workload.apple),
            store: store,
            metrics: metrics, log: log)
        return RefundScheduler(
            state: state, model: model, topics: TopicNames(), apps: [app],
            work: RefundWork(
                mode: .answer, store: store, decisions: decisions,
                api: SimulatedConnection(process: process, apple: workload.apple),
                clocks: process.clocks, metrics: metrics, log: log,
                pause: { [unowned process] in guard await process.sleep(1_000) else { throw CancellationError() } }),
            schedule: RefundSchedule(concurrency: 2, fallbackMargin: SimulationTime.hour) { attempts in
                min(Int64(1_000) << Int64(min(max(attempts - 1, 0), 12)), 300_000)
            },
            clocks: process.clocks, metrics: metrics, log: log, groupPause: process.pause, events: nil,
            due: due)
    }
}
