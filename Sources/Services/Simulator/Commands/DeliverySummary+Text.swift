internal import JSON

extension DeliverySummary {
    /// Returns the summary as human-readable text.
    func text(url: String, refunds: RefundSummary? = nil) -> String {
        let seconds = Self.seconds(elapsed)
        let rate = seconds > 0 ? Double(attempts) / seconds : 0
        var lines = [
            "\(isInterrupted ? "Interrupted: posted" : "Posted") to \(url) for \(Self.rounded(seconds)) s, "
                + "\(Self.rounded(rate)) requests/s",
            "  notifications  \(notifications)",
            "  posts          \(posts) of \(planned), with \(duplicates) duplicates and \(late) out of order",
            "  requests       \(attempts), including \(attempts - posts) retries",
            "  acknowledged   \(acknowledged)",
            "  failed         \(gaveUp)",
        ]
        if undelivered > 0 { lines.append("  undelivered    \(undelivered), only in the history") }
        if isInterrupted {
            lines.append("  abandoned      \(abandoned), and \(planned - posts - undelivered) never posted")
        }
        let outcomes = attemptsByOutcome.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        lines.append("  answers        \(outcomes.isEmpty ? "none" : outcomes.joined(separator: ", "))")
        if let latency {
            lines.append(
                "  latency        p50 \(Self.milliseconds(latency.p50)), p99 \(Self.milliseconds(latency.p99)), "
                    + "max \(Self.milliseconds(latency.maximum))")
        }
        if let refunds { lines.append(refunds.text) }
        return lines.joined(separator: "\n")
    }

    /// Returns the summary as a JSON object on one line. Latencies are in microseconds.
    func json(refunds: RefundSummary? = nil) -> String {
        var object = JSONObject()
        object.put("notifications", Int64(notifications))
        object.put("planned", Int64(planned))
        object.put("posts", Int64(posts))
        object.put("duplicates", Int64(duplicates))
        object.put("late", Int64(late))
        object.put("undelivered", Int64(undelivered))
        object.put("requests", Int64(attempts))
        object.put("retried", Int64(retried))
        object.put("acknowledged", Int64(acknowledged))
        object.put("gaveUp", Int64(gaveUp))
        object.put("abandoned", Int64(abandoned))
        object.put("interrupted", isInterrupted)
        object.put("milliseconds", elapsed.milliseconds)
        var outcomes = JSONObject()
        for (outcome, count) in attemptsByOutcome.sorted(by: { $0.key < $1.key }) {
            outcomes.put(outcome, Int64(count))
        }
        object.put("answers", outcomes)
        if let latency {
            var microseconds = JSONObject()
            microseconds.put("p50", Self.microseconds(latency.p50))
            microseconds.put("p99", Self.microseconds(latency.p99))
            microseconds.put("max", Self.microseconds(latency.maximum))
            object.put("latencyMicroseconds", microseconds)
        }
        object.put("refunds", refunds?.json)
        return object.text
    }

    private static func seconds(_ duration: Duration) -> Double {
        duration / .seconds(1)
    }

    private static func microseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000
    }

    private static func milliseconds(_ duration: Duration) -> String {
        "\(rounded(duration / .milliseconds(1))) ms"
    }

    /// Formats a number with one decimal place.
    private static func rounded(_ number: Double) -> String {
        "\((number * 10).rounded() / 10)"
    }
}

extension Delivery.Progress {
    /// The progress as one line of human-readable text.
    var text: String {
        var text = "\(acknowledged) of \(planned) acknowledged, \(inFlight) in flight, \(waiting) waiting for a retry"
        if let nextAttemptIn { text += ", the next in \(nextAttemptIn.components.seconds) s" }
        return text
    }
}
