internal import AppStoreModel
internal import JSON

/// A sweep's member names in topic rows and in `sluicectl` output. These names are a contract.
private enum Name {
    static let format: StaticString = "formatVersion"
    static let environment: StaticString = "environment"
    static let bundleId: StaticString = "bundleId"
    static let kind: StaticString = "kind"
    static let request: StaticString = "request"
    static let wantedAt: StaticString = "wantedAt"
    static let cancelledAt: StaticString = "cancelledAt"
    static let step: StaticString = "step"
    static let run: StaticString = "run"
    static let last: StaticString = "last"
    static let nextAt: StaticString = "nextAt"
    static let from: StaticString = "from"
    static let to: StaticString = "to"
    static let dryRun: StaticString = "dryRun"
    static let wanted: StaticString = "wanted"
    static let cancelled: StaticString = "cancelled"
    static let requestedAt: StaticString = "requestedAt"
    static let startedAt: StaticString = "startedAt"
    static let order: StaticString = "order"
    static let finishedAt: StaticString = "finishedAt"
    static let progress: StaticString = "progress"
    static let pass: StaticString = "pass"
    static let window: StaticString = "window"
    static let pageToken: StaticString = "pageToken"
    static let share: StaticString = "percent"
    static let calls: StaticString = "calls"
    static let swept: StaticString = "swept"
    static let missing: StaticString = "missing"
    static let published: StaticString = "published"
    static let quarantined: StaticString = "quarantined"
    static let refused: StaticString = "refused"
    static let unknown: StaticString = "unknown"
    static let named: StaticString = "missingNotifications"
    static let differing: StaticString = "differing"
    static let repaired: StaticString = "repaired"
    static let unrepaired: StaticString = "unrepaired"
    static let differences: StaticString = "differences"
    static let unread: StaticString = "unread"
    static let unreadWindows: StaticString = "unreadWindows"
    static let failure: StaticString = "failure"
    static let at: StaticString = "at"
    static let message: StaticString = "message"
    static let count: StaticString = "count"
}

extension Sweep {
    /// The format version to write. Additional members do not change it.
    static let formatVersion: Int64 = 1

    /// The sweep as JSON text, with dates in milliseconds since 1970. Equal sweeps have identical text.
    package var jsonText: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1024)
        writer.object { object in
            object.set(Name.format, Self.formatVersion)
            object.set(Name.environment, environment.rawValue)
            object.set(Name.bundleId, bundleId.rawValue)
            object.set(Name.kind, kind.text)
            if let request {
                object.object(Name.request) {
                    $0.set(request.range)
                    $0.set(Name.dryRun, request.isDryRun)
                    $0.set(Name.requestedAt, request.requestedAt)
                }
            }
            object.set(Name.wantedAt, wantedAt)
            object.set(Name.cancelledAt, cancelledAt)
            writeState(to: &object)
        }
        return writer.bytes
    }

    /// The members that a merge copies together from one of the two values.
    var stateText: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1024)
        writer.object { writeState(to: &$0) }
        return writer.bytes
    }

    private func writeState(to object: inout JSONWriter) {
        object.set(Name.step, step)
        object.set(Name.run, run)
        object.set(Name.last, last)
        object.set(Name.nextAt, nextAt)
    }

    /// Parses the output of ``jsonText``.
    ///
    /// - Throws: ``RowFormatError``.
    package init(json: [UInt8]) throws(RowFormatError) {
        let root: JSONElement
        do { root = try JSONDocument.object(json).root } catch { throw .invalid }
        var fields = FieldReader(root)
        guard let format = fields.int64(Name.format) else { throw .invalid }
        guard format <= Self.formatVersion else { throw .unknownFormat }
        guard let environment = fields.string(Name.environment), let bundleId = fields.string(Name.bundleId),
            let kind = fields.string(Name.kind).flatMap({ SweepKind($0) })
        else { throw .invalid }
        self.init(
            AppStoreEnvironment(environment), BundleId(bundleId), kind,
            request: fields.object(Name.request).flatMap { Request($0) }, wantedAt: fields.number(Name.wantedAt),
            cancelledAt: fields.number(Name.cancelledAt),
            step: fields.number(Name.step) ?? 0, run: fields.object(Name.run).flatMap { SweepRun($0) },
            last: fields.object(Name.last).flatMap { SweepRun($0) }, nextAt: fields.number(Name.nextAt))
    }
}

extension Sweep.Request {
    fileprivate init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let range = SweepRange(&fields), let requestedAt = fields.number(Name.requestedAt) else { return nil }
        self.init(range: range, isDryRun: fields.bool(Name.dryRun) ?? true, requestedAt: requestedAt)
    }
}

extension SweepRange {
    fileprivate init?(_ fields: inout FieldReader) {
        guard let from = fields.number(Name.from), let to = fields.number(Name.to) else { return nil }
        self.init(from: from, to: to)
    }
}

extension SweepRun {
    fileprivate init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let startedAt = fields.number(Name.startedAt), let range = SweepRange(&fields) else { return nil }
        var counts = Counts()
        counts.calls = fields.number(Name.calls) ?? 0
        counts.swept = fields.number(Name.swept) ?? 0
        counts.missing = fields.number(Name.missing) ?? 0
        counts.published = fields.number(Name.published) ?? 0
        counts.quarantined = fields.number(Name.quarantined) ?? 0
        counts.refused = fields.number(Name.refused) ?? 0
        counts.unknown = fields.number(Name.unknown) ?? 0
        counts.differing = fields.number(Name.differing) ?? 0
        counts.repaired = fields.number(Name.repaired) ?? 0
        counts.unrepaired = fields.number(Name.unrepaired) ?? counts.differing
        counts.unread = fields.number(Name.unread) ?? 0
        self.init(
            startedAt: startedAt, order: fields.number(Name.order), range: range,
            isDryRun: fields.bool(Name.dryRun) ?? false,
            isWanted: fields.bool(Name.wanted) ?? false, isCancelled: fields.bool(Name.cancelled) ?? false,
            progress: fields.object(Name.progress).flatMap { SweepProgress($0, over: range) }, counts: counts,
            missing: fields.objects(Name.named).compactMap { Missing($0) },
            differences: fields.objects(Name.differences).compactMap { StatusDifference($0) },
            unread: fields.objects(Name.unreadWindows).compactMap {
                var window = FieldReader($0)
                return SweepRange(&window)
            },
            finishedAt: fields.number(Name.finishedAt), failure: fields.object(Name.failure).flatMap { Failure($0) })
    }

    fileprivate func write(to object: inout JSONWriter) {
        object.set(Name.startedAt, startedAt)
        if order != startedAt { object.set(Name.order, order) }
        object.set(range)
        object.set(Name.dryRun, isDryRun)
        object.set(Name.wanted, isWanted)
        if isCancelled { object.set(Name.cancelled, true) }
        if let progress { object.object(Name.progress) { progress.write(to: &$0) } }
        object.set(Name.calls, counts.calls)
        object.set(Name.swept, counts.swept)
        object.set(Name.missing, counts.missing)
        object.set(Name.published, counts.published)
        object.set(Name.quarantined, counts.quarantined)
        object.set(Name.refused, counts.refused)
        object.set(Name.unknown, counts.unknown)
        if !missing.isEmpty {
            object.array(Name.named) { array in
                for notification in missing { array.object { notification.write(to: &$0) } }
            }
        }
        if counts.differing > 0 {
            object.set(Name.differing, counts.differing)
            object.set(Name.unrepaired, counts.unrepaired)
        }
        if counts.repaired > 0 { object.set(Name.repaired, counts.repaired) }
        if !differences.isEmpty {
            object.array(Name.differences) { array in
                for difference in differences { array.object { difference.write(to: &$0) } }
            }
        }
        if counts.unread > 0 { object.set(Name.unread, counts.unread) }
        if !unread.isEmpty {
            object.array(Name.unreadWindows) { array in
                for window in unread { array.object { $0.set(window) } }
            }
        }
        object.set(Name.finishedAt, finishedAt)
        if let failure {
            object.object(Name.failure) {
                $0.set(Name.at, failure.at)
                $0.set(Name.message, failure.message)
                $0.set(Name.count, failure.count)
            }
        }
    }
}

extension SweepProgress {
    fileprivate init?(_ element: JSONElement, over range: SweepRange) {
        var fields = FieldReader(element)
        guard let pass = fields.int64(Name.pass).flatMap({ Pass(rawValue: $0) }),
            var window = fields.object(Name.window).map({ FieldReader($0) }),
            let bounds = SweepRange(&window), bounds.from < bounds.to, bounds.from >= range.from, bounds.to <= range.to
        else { return nil }
        self.init(range: range, pass: pass, window: bounds, pageToken: fields.string(Name.pageToken))
    }

    fileprivate func write(to object: inout JSONWriter) {
        object.set(Name.pass, pass.rawValue)
        object.object(Name.window) { $0.set(window) }
        object.set(Name.pageToken, pageToken)
        object.set(Name.share, Int64(share * 100))
    }
}

extension SweepRun.Missing {
    fileprivate init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let uuid: NotificationUUID = fields.identifier("notificationUUID"),
            let type: NotificationType = fields.enumeration("notificationType"),
            let signedDate = fields.instant("signedDate")
        else { return nil }
        self.init(uuid, type, signedDate: signedDate)
    }

    fileprivate func write(to object: inout JSONWriter) {
        object.set("notificationUUID", notificationUUID.rawValue)
        object.set("notificationType", notificationType.rawValue)
        object.set("signedDate", signedDate)
    }
}

extension SweepRun.Failure {
    fileprivate init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let at = fields.number(Name.at), let message = fields.string(Name.message) else { return nil }
        self.init(at: at, message: message, count: fields.number(Name.count) ?? 1)
    }
}

extension FieldReader {
    /// The maximum magnitude of a time or counter. Neither incrementing such a number nor subtracting one from another
    /// overflows.
    private static var maximumNumber: Int64 { 1 << 60 }

    /// Reads a time or a counter. A number beyond the limit is read as the limit.
    fileprivate mutating func number(_ name: StaticString) -> Int64? {
        int64(name).map { min(max($0, -Self.maximumNumber), Self.maximumNumber) }
    }
}

extension JSONWriter {
    fileprivate mutating func set(_ name: StaticString, _ run: SweepRun?) {
        guard let run else { return }
        object(name) { run.write(to: &$0) }
    }

    fileprivate mutating func set(_ range: SweepRange) {
        set(Name.from, range.from)
        set(Name.to, range.to)
    }
}
