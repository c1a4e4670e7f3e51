internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreVerification
internal import Kafka
internal import Primitives
internal import Publication
internal import Reconciliation
internal import Records

/// Runs one sweep: reads Apple's history page by page and publishes the notifications that are missing from the topic.
struct HistorySweeper: Sendable {
    /// How long an index is considered up to date, in milliseconds. Rows normally lag the topic by less than a second;
    /// this limit is for members that are far behind.
    private static let freshness: Int64 = 60_000

    let client: AppStoreServerClient
    let index: ReceivedIndex
    let quarantine: QuarantineIndex
    let publisher: MissingPublisher
    let clocks: Clocks
    let metrics: ReconcilerMetrics
    let repetition: Repetition
    let handled: HandledNotifications

    /// - Parameter save: saves the run's progress.
    func sweep(
        _ run: SweepRun, _ kind: SweepKind, windows length: Int64, _ scope: APIScope,
        save: (SweepRun) async throws -> Void
    ) async -> SweepEnd {
        var work = Work(run: run, kind: kind, scope: scope)
        do {
            try await catchUp(&work)
            while let progress = work.run.progress {
                work.windowStart = work.run
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
            work.discardWindow()
            if interruption.restartsWindow { work.run.progress?.pageToken = nil }
            return .interrupted(work.run, interruption)
        }
    }

    /// The state of a running sweep.
    private struct Work {
        var run: SweepRun
        let kind: SweepKind
        let scope: APIScope
        /// The marks of notifications that were counted but not written, so that none of them is counted twice.
        var counted: Set<NotificationMark> = []
        /// The start of the index, in milliseconds since 1970. The index contains every later notification.
        var since: Int64 = 0
        /// The time at which the index was last brought up to date, in monotonic milliseconds.
        var caughtUpAt: Int64 = 0
        /// Whether the window's token has expired. If so, the first half of the window is read next.
        var isHalved = false
        /// The run at the start of the current window.
        var windowStart: SweepRun?

        /// Returns to the start of the current window in a dry run. A dry run writes nothing, so the notifications of
        /// a page that is read again would be counted again. Other runs find them in the index.
        mutating func discardWindow() {
            guard run.isDryRun, let windowStart else { return }
            let calls = run.counts.calls
            run = windowStart
            run.counts.calls = calls
            counted = []
        }
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

    // MARK: Reading pages

    /// Reads a window up to its last page.
    private func read(
        _ progress: SweepProgress, _ work: inout Work, _ save: (SweepRun) async throws -> Void
    ) async throws {
        guard let query = query(progress, work) else { return }
        var pages = client.getNotificationHistory(query, paginationToken: progress.pageToken, work.scope)
        // If this attempt resumes at a later page, reading a page is progress, which clears the failure of the previous
        // attempt.
        let goesOn = progress.pageToken != nil
        while true {
            let page: NotificationHistoryPage?
            do {
                page = try await next(&pages, &work)
            } catch let failure as APIError where Self.isExpired(failure) {
                var progress = progress
                guard progress.halve() else { throw failure }
                work.discardWindow()
                work.run.progress = progress
                work.isHalved = true
                return
            }
            guard let page else { return }
            try await take(page, &work)
            guard page.hasMore else { return }
            guard !work.run.isDryRun else {
                // The position within a window is not saved; see `discardWindow`.
                try Task.checkCancellation()
                continue
            }
            if goesOn { work.run.failure = nil }
            work.run.progress?.pageToken = pages.cursor
            try await save(work.run)
        }
    }

    /// Returns the query for a window, or nil if the window is outside Apple's history. A dry run omits the first pass,
    /// because the second pass finds the same notifications again.
    private func query(_ progress: SweepProgress, _ work: Work) -> NotificationHistoryQuery? {
        if work.run.isDryRun, progress.pass != .all { return nil }
        // Stay one minute within Apple's limit, to allow for clock differences.
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

    private static func isExpired(_ failure: APIError) -> Bool {
        failure.code == .paginationTokenExpired || failure.code == .invalidPaginationToken
    }

    /// Returns the next page, or nil after the last page. Repeats failed requests.
    private func next(
        _ pages: inout Pages<NotificationHistoryPage>, _ work: inout Work
    ) async throws -> NotificationHistoryPage? {
        var request = RepeatedRequest(repetition)
        while true {
            do throws(APIError) {
                let page = try await pages.next()
                if page != nil { work.run.counts.calls += 1 }
                return page
            } catch {
                work.run.counts.calls += 1
                try await request.wait(after: error)
            }
        }
    }

    // MARK: Processing a page

    private func take(_ page: NotificationHistoryPage, _ work: inout Work) async throws {
        if let later = page.refused.first(where: \.object.isRetriable) {
            throw SweepInterruption(.verification, "a notification cannot be verified yet: \(later.object)")
        }
        var found = page.items.compactMap { FoundNotification($0) }
        let inconsistent = page.items.count - found.count
        let refused: [FoundNotification] = page.refused.map { FoundNotification($0) }
        found += refused
        found = try await notKnown(found, work)
        if !found.isEmpty, clocks.monotonicMilliseconds() - work.caughtUpAt > Self.freshness {
            try await catchUp(&work)
            found = try await notKnown(found, work)
        }
        found = try await notQuarantined(found, work)
        for notification in found { try await take(notification, &work) }
        work.run.counts.swept += Int64(page.items.count + page.refused.count)
        let counted = countRefused(refused, inconsistent: inconsistent, &work)
        metrics.swept(page.items.count + page.refused.count, refused: counted)
    }

    /// Counts a page's refused objects, unless they were counted before. The first pass counts none, because the second
    /// pass finds all of them again.
    ///
    /// - Parameter inconsistent: the number of objects with a verdict that a history should not yield.
    /// - Returns: the number of counted objects.
    private func countRefused(_ refused: [FoundNotification], inconsistent: Int, _ work: inout Work) -> Int {
        guard work.run.progress?.pass == .all else { return 0 }
        var count = inconsistent
        for object in refused where work.counted.insert(object.mark).inserted { count += 1 }
        work.run.counts.refused += Int64(count)
        return count
    }

    private func notKnown(_ found: [FoundNotification], _ work: Work) async throws -> [FoundNotification] {
        let known: Set<ReceivedIndex.Wanted>
        do {
            known = try await index.known(found.map(\.wanted), in: work.scope.environment)
        } catch {
            throw SweepInterruption(.state, "\(error)")
        }
        return found.filter { !known.contains($0.wanted) }
    }

    /// Returns the notifications that are not in the quarantine topic. Except in a dry run, adds the others to the
    /// index, so that the topic is not read for them again.
    private func notQuarantined(
        _ found: [FoundNotification], _ work: Work
    ) async throws -> [FoundNotification] {
        guard found.contains(where: \.isQuarantinable) else { return found }
        let marks = try await quarantine.marks()
        let isKept = { (found: FoundNotification) in found.isQuarantinable && marks.contains(found.mark) }
        if !work.run.isDryRun {
            for kept in found.filter(isKept) { try await remember(quarantined: kept.mark, work) }
        }
        return found.filter { !isKept($0) }
    }

    private func take(_ found: FoundNotification, _ work: inout Work) async throws {
        guard !work.run.isDryRun, !isUnknown(found, work) else {
            if !found.isRefused, work.counted.insert(found.mark).inserted { count(found, &work) }
            return
        }
        let (environment, now) = (work.scope.environment, clocks.monotonicMilliseconds())
        // Skip a notification that is on the page twice or that another sweep has found.
        guard handled.claim(found.mark, in: environment, now: now) else { return }
        do {
            try await write(found, work)
        } catch let error as KafkaError where error.code == .messageTooLarge {
            // Kafka will never accept this notification, so the rest of the window must not wait for it. A refused
            // object is counted with its page.
            guard !found.isRefused, work.counted.insert(found.mark).inserted else { return }
            work.run.counts.refused += 1
            metrics.swept(0, refused: 1)
            return
        } catch {
            handled.release(found.mark, in: environment)
            throw error
        }
        count(found, &work)
    }

    /// Returns whether the notification was acknowledged before the start of the index. If so, it is unknown whether
    /// the notification is missing.
    private func isUnknown(_ found: FoundNotification, _ work: Work) -> Bool {
        guard case .accepted(let notification) = found.content else { return false }
        return found.wasDelivered && notification.identity.signedDate.millisecondsSince1970 < work.since
    }

    private func write(_ found: FoundNotification, _ work: Work) async throws {
        switch found.content {
        case .accepted(let notification): try await publisher.publish(notification)
        case .nonconforming(let notification, let signedPayload):
            try await publisher.quarantine(notification, signedPayload)
            try await remember(quarantined: found.mark, work)
        case .refused(let refused, let signedPayload):
            try await publisher.quarantine(refused, signedPayload, work.scope)
            try await remember(quarantined: found.mark, work)
        }
    }

    private func remember(quarantined mark: NotificationMark, _ work: Work) async throws {
        do {
            try await index.remember(
                quarantined: mark, in: work.scope.environment, at: clocks.wallMilliseconds())
        } catch {
            throw SweepInterruption(.state, "\(error)")
        }
    }

    private func count(_ found: FoundNotification, _ work: inout Work) {
        let isDryRun = work.run.isDryRun
        switch found.content {
        case .accepted(let notification):
            guard !isUnknown(found, work) else {
                work.run.counts.unknown += 1
                return
            }
            let identity = notification.identity
            if !isDryRun { work.run.counts.published += 1 }
            work.run.note(
                missing: SweepRun.Missing(
                    identity.notificationUUID, identity.notificationType, signedDate: identity.signedDate))
            metrics.found(isPublished: !isDryRun)
        case .nonconforming:
            // Count the notification in a dry run, too: unlike an accepted one, it is not published in any run.
            work.run.counts.quarantined += 1
            if !isDryRun { metrics.quarantined() }
        case .refused:
            // The page's counters already include the notification.
            if !isDryRun { metrics.quarantined() }
        }
    }
}
