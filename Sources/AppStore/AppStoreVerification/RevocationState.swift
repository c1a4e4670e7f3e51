internal import Cryptography
internal import Synchronization

/// Schedules OCSP requests, without side effects. Callers pass the time and the random number generator.
///
/// Each certificate-issuer pair has at most one request in flight. A good response is valid until the responder's next
/// update, but for at most 24 hours, and is renewed well before that. Failures are retried at increasing intervals. All
/// times are in milliseconds since 1970.
struct RevocationState {
    struct Question {
        let id: SHA256Digest
        let subject: Certificate
        let issuer: Certificate
        /// The address of the responder, taken from a certificate in the chain of a verified object, or nil if the
        /// certificate names no responder.
        let address: String?
    }

    enum Outcome {
        case answer(OCSPAnswer)
        /// No response with status 200 arrived in time.
        case unreachable
        /// The certificate names no responder.
        case noAddress
    }

    private struct Entry {
        let question: Question
        let standing: RevocationStanding
        var unknownSince: Int64?
        var nextQuestion: Int64
        /// The time at which `nextQuestion` was determined.
        var scheduledAt: Int64
        var failures = 0
        var isAsking = false
        var lastUse: Int64
    }

    static let capacity = 64
    static let greatestAge: Int64 = 24 * 3_600_000
    /// The minimum interval between requests for one certificate.
    static let shortestPause: Int64 = 15_000
    static let longestPause: Int64 = 600_000
    /// How long a status may be unknown before operators are alerted.
    static let alertAfter: Int64 = 300_000
    /// How long a certificate is considered in use after its last use. Apple replaces leaves, and OCSP responders stop
    /// answering for old ones.
    static let inUse: Int64 = 3_600_000
    /// How long a certificate is remembered after its last use.
    static let kept: Int64 = 48 * 3_600_000

    private var entries: [SHA256Digest: Entry] = [:]
    private var outcomes: [String: Int] = [:]

    /// Returns whether `subject` is known to be revoked. If so, also records the use of the certificate.
    mutating func isRevoked(_ subject: Certificate, issuer: Certificate, at now: Int64) -> Bool {
        let id = Self.id(of: subject, issuer: issuer)
        guard let entry = entries[id], entry.standing.known(at: now) == .revoked else { return false }
        entries[id]?.lastUse = now
        return true
    }

    private static func id(of subject: Certificate, issuer: Certificate) -> SHA256Digest {
        var hash = SHA256()
        hash.update(subject.der)
        hash.update(issuer.der)
        return hash.finish()
    }

    /// Returns the revocation status of `subject` under `issuer`. If the pair is new, a request is due immediately.
    mutating func standing(of subject: Certificate, issuer: Certificate, at now: Int64) -> RevocationStanding {
        let id = Self.id(of: subject, issuer: issuer)
        if let entry = entries[id] {
            entries[id]?.lastUse = now
            return entry.standing
        }
        makeRoom()
        let question = Question(id: id, subject: subject, issuer: issuer, address: subject.ocspURL)
        let standing = RevocationStanding()
        entries[id] = Entry(
            question: question, standing: standing, unknownSince: now, nextQuestion: now, scheduledAt: now,
            lastUse: now)
        return standing
    }

    // Keep revoked certificates. If one were evicted, its chain would be accepted again until the next response.
    private mutating func makeRoom() {
        guard entries.count >= Self.capacity else { return }
        let removable = entries.filter { !$0.value.isAsking && $0.value.standing.known(at: .max) != .revoked }
        let candidates = removable.isEmpty ? entries : removable
        if let oldest = candidates.min(by: { $0.value.lastUse < $1.value.lastUse })?.key { entries[oldest] = nil }
    }

    /// Returns the requests that are due now. Each is considered in flight until its outcome is recorded. Also removes
    /// unrevoked certificates that have not been used for ``kept`` milliseconds.
    mutating func takeDueQuestions(at now: Int64) -> [Question] {
        rescheduleIfSetBack(to: now)
        entries = entries.filter { _, entry in
            entry.isAsking || entry.standing.known(at: .max) == .revoked
                || Self.difference(now, entry.lastUse) < Self.kept
        }
        var due: [Question] = []
        for (id, entry) in entries where !entry.isAsking && entry.nextQuestion <= now {
            entries[id]?.isAsking = true
            due.append(entry.question)
        }
        return due
    }

    /// Makes every request due that was scheduled before the clock was set back. Its time may be days ahead; until
    /// then, an unknown status would not be requested again, and would raise no alert.
    private mutating func rescheduleIfSetBack(to now: Int64) {
        for (id, entry) in entries
        where entry.nextQuestion != .max && Self.difference(entry.scheduledAt, now) > Self.shortestPause {
            entries[id]?.nextQuestion = now
            entries[id]?.scheduledAt = now
            entries[id]?.unknownSince = entry.unknownSince.map { min($0, now) }
            entries[id]?.lastUse = min(entry.lastUse, now)
        }
    }

    mutating func record(
        _ outcome: Outcome, of id: SHA256Digest, at now: Int64, using random: inout some RandomNumberGenerator
    ) {
        outcomes[Self.name(of: outcome), default: 0] += 1
        guard var entry = entries[id] else { return }
        entry.isAsking = false
        entry.scheduledAt = now
        switch outcome {
        case .answer(.revoked):
            entry.standing.setRevoked()
            entry.unknownSince = nil
            entry.nextQuestion = .max
        case .answer(.good(let thisUpdate, let nextUpdate)):
            let end = Self.end(thisUpdate: thisUpdate, nextUpdate: nextUpdate)
            // A response can be older than `greatestAge` although its responder publishes the next one only later.
            guard end >= now else {
                Self.retry(&entry, at: now, using: &random)
                break
            }
            entry.standing.setGood(until: end)
            entry.unknownSince = nil
            entry.failures = 0
            // The pause is random, between half and four fifths of the remaining time, so that processes do not send
            // requests simultaneously.
            let left = max(0, Self.difference(end, now))
            let pause = Int64.random(in: left / 2...max(left / 2, left / 10 * 8), using: &random)
            entry.nextQuestion = Self.sum(now, max(Self.shortestPause, pause))
        case .answer(.nothingNew), .unreachable, .noAddress:
            Self.retry(&entry, at: now, using: &random)
        }
        entries[id] = entry
    }

    /// Schedules the next request after an outcome that changes nothing.
    private static func retry(_ entry: inout Entry, at now: Int64, using random: inout some RandomNumberGenerator) {
        if entry.standing.known(at: now) == .unknown, entry.unknownSince == nil { entry.unknownSince = now }
        entry.failures = min(entry.failures + 1, 6)
        let pause = min(longestPause, shortestPause << Int64(entry.failures - 1))
        entry.nextQuestion = sum(now, Int64.random(in: pause / 2...pause, using: &random))
    }

    /// Counts the certificates in use, grouped by status, and determines whether an operator should act.
    func status(at now: Int64) -> RevocationStatus {
        var status = RevocationStatus(outcomes: outcomes)
        for entry in entries.values where Self.difference(now, entry.lastUse) <= Self.inUse {
            switch entry.standing.known(at: now) {
            case .good: status.good += 1
            case .revoked:
                status.revoked += 1
                status.needsAttention = true
            case .unknown:
                status.unknown += 1
                if Self.difference(now, entry.unknownSince ?? now) >= Self.alertAfter { status.needsAttention = true }
            }
        }
        return status
    }

    // Returns the time when a response expires, in milliseconds. The times in responses are in seconds.
    private static func end(thisUpdate: Int64, nextUpdate: Int64?) -> Int64 {
        let (made, overflow) = thisUpdate.multipliedReportingOverflow(by: 1000)
        let (next, nextOverflow) = (nextUpdate ?? .max).multipliedReportingOverflow(by: 1000)
        let (latest, sumOverflow) = made.addingReportingOverflow(greatestAge)
        guard !overflow, !sumOverflow else { return .min }
        return nextOverflow ? latest : min(next, latest)
    }

    private static func difference(_ left: Int64, _ right: Int64) -> Int64 {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow ? .max : difference
    }

    private static func sum(_ now: Int64, _ pause: Int64) -> Int64 {
        let (sum, overflow) = now.addingReportingOverflow(pause)
        return overflow ? .max : sum
    }

    private static func name(of outcome: Outcome) -> String {
        switch outcome {
        case .answer(.good): "good"
        case .answer(.revoked): "revoked"
        case .answer(.nothingNew(let failure)): failure.rawValue
        case .unreachable: "unreachable"
        case .noAddress: "noAddress"
        }
    }
}

/// The revocation status of one certificate, read on the hot path without a lock.
final class RevocationStanding: Sendable {
    // The time when the last good response expires, in milliseconds since 1970.
    private let goodUntil = Atomic<Int64>(.min)
    private let revoked = Atomic<Bool>(false)

    enum Known: Equatable {
        case good, revoked, unknown
    }

    func known(at now: Int64) -> Known {
        if revoked.load(ordering: .relaxed) { return .revoked }
        return now <= goodUntil.load(ordering: .relaxed) ? .good : .unknown
    }

    func setGood(until end: Int64) {
        goodUntil.store(end, ordering: .relaxed)
    }

    /// Marks the certificate as permanently revoked. A signed revocation cannot be undone.
    func setRevoked() {
        revoked.store(true, ordering: .relaxed)
    }
}

/// The revocation status of all certificates in use, for metrics, logs and alerts.
public struct RevocationStatus: Sendable, Hashable {
    /// The number of responses and failures since startup, by kind.
    public var outcomes: [String: Int] = [:]
    /// The number of certificates with a good response that is still valid.
    public var good = 0
    /// The number of certificates that have been revoked by their issuer.
    public var revoked = 0
    /// The number of certificates without a valid response.
    public var unknown = 0
    /// The number of notifications accepted while the status of one of their certificates was unknown (policy `soft`).
    public var acceptedUnknown = 0
    /// Whether a response has been missing for five minutes or longer, or a certificate is revoked.
    public var needsAttention = false
}
