package import Telemetry

/// Runs services: starts them in order, and stops them in reverse order when one of them ends or a shutdown is asked
/// for, with a maximum time for all of them.
package struct ServiceGroup: Sendable {
    private let first: [any Service]
    private let build: @Sendable () async throws -> [any Service]
    private let logger: Logger
    private let maximumShutdown: Duration

    /// - Parameters:
    ///   - services: in start order; each may use those before it.
    ///   - logger: for one line at each step.
    ///   - maximumShutdown: the time for all services to stop. Each may take what is left, less a tenth of it for each
    ///     service that stops after it, and at least half of it.
    package init(_ services: [any Service], logger: Logger, maximumShutdown: Duration = .seconds(10)) {
        self.init(first: services, logger: logger, maximumShutdown: maximumShutdown) { [] }
    }

    /// - Parameters:
    ///   - first: started before the others are built, such as what answers while the process starts.
    ///   - build: makes the other services, in start order.
    package init(
        first: [any Service], logger: Logger, maximumShutdown: Duration = .seconds(10),
        build: @escaping @Sendable () async throws -> [any Service]
    ) {
        self.first = first
        self.build = build
        self.logger = logger
        self.maximumShutdown = maximumShutdown
    }

    private enum Event: Sendable {
        case asked(String)
        case started
        case built([any Service])
        case startFailed(service: String, any Error)
        case runEnded(service: String, (any Error)?)
    }

    /// Runs until a shutdown is asked for, a service ends, or the task is cancelled; returns when all have stopped or
    /// the maximum has passed.
    ///
    /// The tasks of the services are not children of this one, because a service that does not end must not hold up
    /// the others: all of them report to one stream that is read here, and what is still running at the end is left
    /// to the end of the process.
    ///
    /// - Parameter triggers: the reasons to stop, such as the names of signals. The first one counts.
    package func run(triggers: AsyncStream<String>) async -> ExitCode {
        let (events, event) = AsyncStream.makeStream(of: Event.self)
        let forwarding = Task {
            for await reason in triggers { event.yield(.asked(reason)) }
        }
        defer { forwarding.cancel() }
        return await withTaskCancellationHandler {
            await run(events, event)
        } onCancel: {
            event.yield(.asked("cancelled"))
        }
    }

    private func run(_ events: AsyncStream<Event>, _ event: AsyncStream<Event>.Continuation) async -> ExitCode {
        var running: [Running] = []
        var next = events.makeAsyncIterator()
        for service in first {
            if let end = await start(service, &running, &next, event) { return await self.end(end, running) }
        }
        // Read below; left behind when it does not end.
        let building = Task {
            do {
                event.yield(.built(try await build()))
            } catch {
                event.yield(.startFailed(service: "", error))
            }
        }
        let built = await next.next(isolation: #isolation) ?? .asked("cancelled")
        guard case .built(let others) = built else {
            building.cancel()
            return await end(built, running)
        }
        for service in others {
            if let end = await start(service, &running, &next, event) { return await self.end(end, running) }
        }
        logger.info("started")
        while let event = await next.next(isolation: #isolation) {
            if case .started = event { continue }
            return await end(event, running)
        }
        return await end(.asked("cancelled"), running)
    }

    /// Starts one service and runs it.
    ///
    /// - Returns: what ends the group before it has started.
    private func start(
        _ service: any Service, _ running: inout [Running], _ next: inout AsyncStream<Event>.Iterator,
        _ event: AsyncStream<Event>.Continuation
    ) async -> Event? {
        // Read below; left behind when it does not end.
        let starting = Task {
            do {
                try await service.start()
                event.yield(.started)
                return true
            } catch {
                event.yield(.startFailed(service: service.name, error))
                return false
            }
        }
        let first = await next.next(isolation: #isolation) ?? .asked("cancelled")
        switch first {
        case .started:
            running.append(run(service, event))
            return nil
        case .startFailed, .built: return first
        case .asked, .runEnded:
            await giveUp(starting, of: service)
            return first
        }
    }

    /// The service's `run()`, reported as an event.
    private func run(_ service: any Service, _ event: AsyncStream<Event>.Continuation) -> Running {
        // Cancelled after the service has stopped.
        let task = Task {
            do {
                try await service.run()
                event.yield(.runEnded(service: service.name, nil))
            } catch {
                event.yield(.runEnded(service: service.name, error))
            }
        }
        return Running(service: service, task: task)
    }

    private struct Running {
        let service: any Service
        let task: Task<Void, Never>
    }

    /// A start that is not wanted any more is cancelled and given a share of the time to end.
    private func giveUp(_ starting: Task<Bool, Never>, of service: any Service) async {
        starting.cancel()
        let share = maximumShutdown / 4
        let isOver = await finishes(within: share) {
            // It may have become ready all the same.
            if await starting.value { await service.stop(within: share) }
        }
        if !isOver { logger.warning("start abandoned", [.init(.service, service.name)]) }
    }

    /// Logs why the group ends, and stops what runs.
    private func end(_ event: Event, _ running: [Running]) async -> ExitCode {
        var exitCode = ExitCode.ok
        switch event {
        case .asked(let reason): logger.info("stopping", [.init(.reason, reason)])
        case .started, .built: break
        case .runEnded(let name, nil): logger.info("finished", [.init(.service, name)])
        case .startFailed(let name, let error):
            let failure = Failure(error)
            exitCode = failure.exitCode
            let service = name.isEmpty ? [] : [LogField(.service, name)]
            logger.error(
                "cannot start",
                service + [LogField(.error, failure.line), LogField(.exitCode, exitCode.rawValue)])
        case .runEnded(let name, let error?):
            let failure = Failure(error)
            exitCode = failure.exitCode
            logger.error(
                "service failed",
                [.init(.service, name), .init(.error, failure.line), .init(.exitCode, exitCode.rawValue)])
        }
        let allInTime = await stop(running)
        if !allInTime, exitCode == .ok { exitCode = .failure }
        return exitCode
    }

    /// - Returns: whether every service stopped in its time.
    private func stop(_ running: [Running]) async -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: maximumShutdown)
        var allInTime = true
        for (index, entry) in running.enumerated().reversed() {
            let share = max(.zero, clock.now.duration(to: deadline)) * max(0.5, 1 - 0.1 * Double(index))
            // A little later than the service's own limit, so that one that keeps it is not abandoned.
            if await !finishes(within: share + .milliseconds(50), { await entry.service.stop(within: share) }) {
                logger.error("service did not stop in time", [.init(.service, entry.service.name)])
                allInTime = false
            }
            entry.task.cancel()
        }
        return allInTime
    }

    /// Whether the work ends within the limit; what does not end is left behind.
    private func finishes(within limit: Duration, _ work: @escaping @Sendable () async -> Void) async -> Bool {
        let (outcomes, outcome) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
        // Read below.
        Task {
            await work()
            outcome.yield(true)
        }
        // Read below, or cancelled at the end.
        let timer = Task {
            try await Task.sleep(for: limit)
            outcome.yield(false)
        }
        defer { timer.cancel() }
        // The stream never ends by itself; a cancelled caller still waits for one of the two.
        let first = Task { await outcomes.first { _ in true } ?? false }
        return await first.value
    }
}
