/// Polls a condition until it is true, at most for the scaled limit (``Swift/Duration/scaled``).
///
/// The interval grows from 5 ms to 50 ms with the time waited, so that a long wait leaves the processors to others.
///
/// - Returns: `false` if the condition did not become true within `limit`, or the test was cancelled first.
package func eventually(
    within limit: Duration = .seconds(20), _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let start = ContinuousClock.now
    let end = start + limit.scaled
    while try await !condition() {
        let now = ContinuousClock.now
        guard now < end else { return false }
        do {
            try await Task.sleep(for: min(max((now - start) / 10, .milliseconds(5)), .milliseconds(50)))
        } catch {
            // After cancellation, sleeps return immediately, so this loop would spin.
            return false
        }
    }
    return true
}

/// Waits for a condition that the test needs to continue.
///
/// - Throws: ``NotInTime``, or errors of `condition`.
package func waitUntil(
    within limit: Duration = .seconds(20), file: String = #fileID, line: Int = #line,
    _ condition: () async throws -> Bool
) async throws {
    guard try await eventually(within: limit, condition) else {
        throw NotInTime(place: "\(file):\(line)", limit: limit)
    }
}

/// A condition that did not become true in time.
package struct NotInTime: Error, CustomStringConvertible {
    let place: String
    let limit: Duration

    package var description: String { "what \(place) waits for did not come within \(limit.scaled)" }
}
