package import Telemetry

/// Starts services in order. When one of them ends or a shutdown is requested, stops all of them in reverse order
/// within a total time limit.
package struct ServiceGroup: Sendable {
    private let first: [any Service]
    private let build: @Sendable () async throws -> [any Service]
    private let logger: Logger
    private let maximumShutdown: Duration

    /// - Parameters:
    ///   - services: the services in start order. Each service may use the earlier ones.
    ///   - logger: logs one line per step.
    ///   - maximumShutdown: the total time for all services to stop. Each service gets the remaining time minus a tenth
    ///     for each service that stops after it, but at least half.
    package init(_ services: [any Service], logger: Logger, maximumShutdown: Duration = .seconds(10)) {
        self.init(first: services, logger: logger, maximumShutdown: maximumShutdown) { [] }
    }

    /// - Parameters:
    ///   - first: services that start before the others are created, such as a listener that responds during startup.
    ///   - build: creates the other services, in start order.
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

    /// Runs until a shutdown is requested, a service ends, or the task is cancelled. Returns when all services have
    /// stopped or the time limit has passed.
    ///
    /// The services run in unstructured tasks, so that a service that does not end cannot block the others. Every task
    /// reports to one stream, which this function reads. Tasks that are still running when the function returns
    /// continue until the process exits.
    ///
    /// - Parameter triggers: reasons to stop, such as signal names. Only the first one has an effect.
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
        // The result is read below. If the task does not end, it is abandoned.
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

    /// Starts a service and runs it.
    ///
    /// - Returns: nil, or an event that ends the group before the service has started.
    private func start(
        _ service: any Service, _ running: inout [Running], _ next: inout AsyncStream<Event>.Iterator,
        _ event: AsyncStream<Event>.Continuation
    ) async -> Event? {
        // The result is read below. If the task does not end, it is abandoned.
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

    /// Calls the service's `run()` in a task that reports its end as an event.
    private func run(_ service: any Service, _ event: AsyncStream<Event>.Continuation) -> Running {
        // The task is cancelled after the service has stopped.
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

    /// Cancels a start that is no longer needed, and waits for it to end, for at most a quarter of `maximumShutdown`.
    private func giveUp(_ starting: Task<Bool, Never>, of service: any Service) async {
        starting.cancel()
        let share = maximumShutdown / 4
        let isOver = await finishes(within: share) {
            // The service may have become ready despite the cancellation.
            if await starting.value { await service.stop(within: share) }
        }
        if !isOver { logger.warning("start aborted", [.init(.service, service.name)]) }
    }

    /// Logs why the group ends, and stops the running services.
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
                "start failed",
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

    /// Stops the services in reverse order.
    ///
    /// - Returns: whether every service stopped in time.
    private func stop(_ running: [Running]) async -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: maximumShutdown)
        var allInTime = true
        for (index, entry) in running.enumerated().reversed() {
            let share = max(.zero, clock.now.duration(to: deadline)) * max(0.5, 1 - 0.1 * Double(index))
            // Wait slightly longer than the service's own limit, so that a service that stops just in time is not
            // abandoned.
            if await !finishes(within: share + .milliseconds(50), { await entry.service.stop(within: share) }) {
                logger.error("service did not stop in time", [.init(.service, entry.service.name)])
                allInTime = false
            }
            entry.task.cancel()
        }
        return allInTime
    }

    /// Returns whether the work ends within the limit. If not, its task is abandoned.
    private func finishes(within limit: Duration, _ work: @escaping @Sendable () async -> Void) async -> Bool {
        let (outcomes, outcome) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
        // The result is read below.
        Task {
            await work()
            outcome.yield(true)
        }
        // The result is read below, or the timer is cancelled at the end.
        let timer = Task {
            try await Task.sleep(for: limit)
            outcome.yield(false)
        }
        defer { timer.cancel() }
        // The stream never ends, so even a cancelled caller waits for a value.
        let first = Task { await outcomes.first { _ in true } ?? false }
        return await first.value
    }
}
