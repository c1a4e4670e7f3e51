package import AppStoreModel

/// The rounds of a case, oldest first. Source: app-store.md 10.5.
///
/// Requests, decisions, answers and ends are compared only by Apple's signedDate, because our clocks may be wrong and
/// may differ between members.
package struct RefundRounds: Sendable {
    /// The default interval without requests, in milliseconds, after which a request opens a new round.
    package static let defaultGap: Int64 = 72 * 3_600_000

    package let all: [RefundRound]

    /// The newest round, or nil if Apple has sent no request. Only this round can be waiting for an answer.
    package var newest: RefundRound? { all.last }

    package var status: AnswerStatus { newest?.status ?? .none }

    /// The waiting round, or nil if there is none.
    package var waiting: RefundRound? { newest.flatMap { $0.status == .waiting ? $0 : nil } }

    /// Returns the round that a proposal, acceptance or end belongs to, or nil if there is none. `date` is the date of
    /// the newest request that the proposal, acceptance or end covers.
    package func round(through date: AppStoreInstant) -> RefundRound? { all.last { $0.openedAt <= date } }

    /// - Parameter gap: the interval without requests, in milliseconds, after which a request opens a new round
    ///   (`refunds.round.gap`).
    package init(_ refund: RefundCase, gap: Int64 = defaultGap) {
        let points = Self.points(refund)
        var groups: [[Point]] = []
        for point in points {
            if let last = groups.last?.last, !Self.opensRound(point, after: last, refund, gap) {
                groups[groups.count - 1].append(point)
            } else {
                groups.append([point])
            }
        }
        all = groups.indices.compactMap { index in
            let next = index + 1 < groups.count ? groups[index + 1].first?.date : nil
            return Self.round(index + 1, groups[index], before: next, refund)
        }
    }

    // MARK: Requests on Apple's clock

    /// A time on Apple's clock at which a request was signed. `request` is nil if the case dropped the request because
    /// there were too many; its date is then known from an acceptance or an end.
    private struct Point {
        let date: AppStoreInstant
        let request: RefundRequest?

        /// Returns whether a decision ends the round. A decision authenticated only by a shared secret ends only a
        /// round of requests authenticated in the same way.
        func isEnded(by verdict: RefundVerdict) -> Bool { verdict.isSigned || request.map { !$0.isSigned } ?? false }
    }

    private static func points(_ refund: RefundCase) -> [Point] {
        let requests = refund.requests.values.sorted {
            $0.signedDate != $1.signedDate
                ? $0.signedDate < $1.signedDate : $0.notificationUUID < $1.notificationUUID
        }
        let known = Set(requests.map(\.signedDate))
        let answered = Set(refund.acceptances.all.map(\.through) + refund.ends.all.map(\.through))
        let points =
            requests.map { Point(date: $0.signedDate, request: $0) }
            + answered.subtracting(known).map { Point(date: $0, request: nil) }
        return points.enumerated().sorted { ($0.1.date, $0.0) < ($1.1.date, $1.0) }.map(\.element)
    }

    private static func opensRound(_ point: Point, after last: Point, _ refund: RefundCase, _ gap: Int64) -> Bool {
        last.date.milliseconds(to: point.date) > gap
            || refund.verdicts.all.contains {
                last.date <= $0.signedDate && $0.signedDate <= point.date && last.isEnded(by: $0)
            }
            || refund.ends.all.contains { last.date <= $0.through && $0.through < point.date }
    }

    // MARK: Rounds

    private static func round(
        _ number: Int, _ points: [Point], before next: AppStoreInstant?, _ refund: RefundCase
    ) -> RefundRound? {
        guard let first = points.first, let last = points.last else { return nil }
        func isOfRound(_ date: AppStoreInstant) -> Bool { date >= first.date && date < next ?? .latest }
        func ends(_ verdict: RefundVerdict) -> Bool {
            verdict.signedDate >= last.date && verdict.signedDate <= next ?? .latest && last.isEnded(by: verdict)
        }
        return RefundRound(
            number: number, openedAt: first.date, through: last.date, requests: points.compactMap(\.request),
            answer: refund.answers.all.last { isOfRound($0.date) },
            acceptance: refund.acceptances.all.last { isOfRound($0.through) },
            end: refund.ends.all.last { isOfRound($0.through) }, verdict: refund.verdicts.all.first(where: ends),
            lastVerdict: refund.verdicts.all.last(where: ends), isSuperseded: next != nil)
    }
}
