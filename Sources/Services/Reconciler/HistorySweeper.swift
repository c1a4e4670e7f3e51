internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreVerification
internal import Publication
internal import Reconciliation
internal import Records
internal import Time

/// Runs one sweep: reads Apple's history page by page, and puts back what is not in the topic.
struct HistorySweeper: Sendable {
    /// What was brought up to date is so for as long, in milliseconds: the rows follow the topic within a second, so it is
    /// for members that are far behind.
    private static let freshness: Int64 = 60_000

    let client: AppStoreServerClient
    let index: ReceivedIndex
    let publisher: MissingPublisher
    let clocks: Clocks
    let metrics: ReconcilerMetrics
    let repetition: Repetition

    /// - Parameter save: makes the run's progress durable.
    func sweep(
        _ run: SweepRun, _ kind: SweepKind, windows length: Int64, _ scope: APIScope,
        save: (SweepRun) async throws -> Void
    ) async -> SweepEnd {
        var work = Work(run: run, kind: kind, scope: scope)
        do {
            try await catchUp(&work)
            while let progress = work.run.progress {
                try await read(progress, &work, save)
                work.run.failure = nil
                if work.isHalved {
                    work.isHalved = false
                } else if var progress = work.run.progress {
                    work.run.progress = progress.advance(windows: length) ? progress : nil
                }
                if work.run.progress != nil { try await save(work.run) }
            }
            return .finished(work.run)
        } catch {
            guard !Task.isCancelled, !(error is CancellationError) else { return .cancelled }
            let interruption = SweepInterruption(error)
            if interruption.restartsWindow { work.run.progress?.pageToken = nil }
            return .interrupted(work.run, interruption)
        }
    }

    /// What a run works with.
    private struct Work {
        var run: SweepRun
        let kind: SweepKind
        let scope: APIScope
        /// What was published or quarantined in this run, whose rows may not be read back yet.
        var handled: Set<NotificationMark> = []
        /// Everything that came later is known.
        var since: Int64 = 0
        /// When that was found out, by the monotonic clock.
        var caughtUpAt: Int64 = 0
        /// The window's token expired: its first half comes next.
        var isHalved = false
    }

    private func catchUp(_ work: inout Work) async throws {
        let begun = clocks.monotonicMilliseconds()
        do {
            work.since = try await index.catchUp(work.scope.environment, now: clocks.wallMilliseconds())
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw SweepInterruption(.state, "\(error)")
        }
        work.caughtUpAt = begun
    }

    // MARK: Pages

    /// Reads a window to its last page.
    private func read(
        _ progress: SweepProgress, _ work: inout Work, _ save: (SweepRun) async throws -> Void
    ) async throws {
        guard let query = query(progress, work) else { return }
        var pages = client.getNotificationHistory(query, paginationToken: progress.pageToken, work.scope)
        while true {
            let page: NotificationHistoryPage?
            do {
                page = try await next(&pages, &work)
            } catch let failure as APIFailure where Self.isExpired(failure) {
                var progress = progress
                guard progress.halve() else { throw failure }
                work.run.progress = progress
                work.isHalved = true
                return
            }
            guard let page else { return }
            try await take(page, &work)
            guard page.hasMore else { return }
            work.run.progress?.pageToken = pages.cursor
            try await save(work.run)
        }
    }

    /// Nil for a window that Apple no longer tells of.
    private func query(_ progress: SweepProgress, _ work: Work) -> NotificationHistoryQuery? {
        // A minute later than Apple allows at this moment, for the clocks.
        let first = clocks.wallMilliseconds() - SweepKind.reach(work.scope.environment) + 60_000
        let from = max(progress.window.from, first)
        guard from < progress.window.to else { return nil }
        var query = NotificationHistoryQuery(
            from: AppStoreInstant(clampingMillisecondsSince1970: from),
            to: AppStoreInstant(clampingMillisecondsSince1970: progress.window.to))
        if progress.pass == .consumptionRequests { query.notificationType = .consumptionRequest }
        if work.kind == .failures { query.onlyFailures = true }
        return query
    }

    private static func isExpired(_ failure: APIFailure) -> Bool {
        failure.code == .paginationTokenExpired || failure.code == .invalidPaginationToken
    }

    /// The next page, with several attempts.
    private func next(
        _ pages: inout Pages<NotificationHistoryPage>, _ work: inout Work
    ) async throws -> NotificationHistoryPage? {
        var request = RepeatedRequest(repetition)
        while true {
            do throws(APIFailure) {
                let page = try await pages.next()
                if page != nil { work.run.counts.calls += 1 }
                return page
            } catch {
                work.run.counts.calls += 1
                try await request.wait(after: error)
            }
        }
    }

    // MARK: One page

    private func take(_ page: NotificationHistoryPage, _ work: inout Work) async throws {
        if let later = page.refused.first(where: \.isRetriable) {
            throw SweepInterruption(.verification, "a notification cannot be judged yet: \(later)")
        }
        var found = page.items.compactMap(FoundNotification.init)
        let inconsistent = page.items.count - found.count
        found = try await notKnown(found, work)
        if !found.isEmpty, clocks.monotonicMilliseconds() - work.caughtUpAt > Self.freshness {
            try await catchUp(&work)
            found = try await notKnown(found, work)
        }
        // Stable: the order of the page within each.
        for notification in found.filter(\.isUrgent) + found.filter({ !$0.isUrgent }) {
            try await take(notification, &work)
        }
        work.run.counts.swept += Int64(page.items.count + page.refused.count)
        work.run.counts.refused += Int64(page.refused.count + inconsistent)
        metrics.swept(page.items.count + page.refused.count, refused: page.refused.count + inconsistent)
    }

    private func notKnown(_ found: [FoundNotification], _ work: Work) async throws -> [FoundNotification] {
        let new = found.filter { !work.handled.contains($0.mark) }
        let known: Set<ReceivedIndex.Wanted>
        do {
            known = try await index.known(new.map(\.wanted), in: work.scope.environment)
        } catch {
            throw SweepInterruption(.state, "\(error)")
        }
        return new.filter { !known.contains($0.wanted) }
    }

    private func take(_ found: FoundNotification, _ work: inout Work) async throws {
        // Twice on one page.
        guard work.handled.insert(found.mark).inserted else { return }
        var isDone = false
        defer { if !isDone { work.handled.remove(found.mark) } }
        switch found.content {
        case .accepted(let notification):
            let identity = notification.identity
            if found.wasDelivered, identity.signedDate.millisecondsSince1970 < work.since {
                work.run.counts.unknown += 1
            } else {
                if !work.run.isDryRun {
                    try await publisher.publish(notification)
                    work.run.counts.published += 1
                }
                work.run.note(
                    missing: SweepRun.Missing(
                        identity.notificationUUID, identity.notificationType, signedDate: identity.signedDate))
                metrics.found(isPublished: !work.run.isDryRun)
            }
        case .nonconforming(let notification, let signedPayload):
            if !work.run.isDryRun {
                try await publisher.quarantine(notification, signedPayload)
                let (environment, now) = (work.scope.environment, clocks.wallMilliseconds())
                do {
                    try await index.remember(quarantined: found.mark, in: environment, at: now)
                } catch {
                    throw SweepInterruption(.state, "\(error)")
                }
            }
            work.run.counts.quarantined += 1
            metrics.quarantined()
        }
        isDone = true
    }
}
