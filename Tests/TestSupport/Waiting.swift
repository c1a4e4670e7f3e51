/// Polls a condition every few milliseconds until it is true. The limit is scaled: ``Swift/Duration/scaled``.
///
/// - Returns: `false` when it did not become true within `limit`, or when the test was cancelled before.
package func eventually(
    within limit: Duration = .seconds(20), _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + limit.scaled
    while try await !condition() {
        guard ContinuousClock.now < end else { return false }
        do {
            try await Task.sleep(for: .milliseconds(5))
        } catch {
            // Cancelled: later sleeps would return at once, and this would spin until the end.
            return false
        }
    }
    return true
}

/// Waits for a condition without which a test cannot continue.
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
