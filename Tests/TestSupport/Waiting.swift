/// Waits for a state, looking at it every few milliseconds. The limit is scaled: ``Swift/Duration/scaled``.
///
/// - Returns: `false` when it did not come within `limit`, or when the test was cancelled before.
package func eventually(
    within limit: Duration = .seconds(20), _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + limit.scaled
    while try await !condition() {
        guard ContinuousClock.now < end else { return false }
        do {
            try await Task.sleep(for: .milliseconds(5))
        } catch {
            // Cancelled: no later sleep would last, and this would spin until the end.
            return false
        }
    }
    return true
}

/// Waits for a state without which a test cannot go on.
///
/// - Throws: ``NotInTime``, or what `condition` throws.
package func waitUntil(
    within limit: Duration = .seconds(20), file: String = #fileID, line: Int = #line,
    _ condition: () async throws -> Bool
) async throws {
    guard try await eventually(within: limit, condition) else {
        throw NotInTime(place: "\(file):\(line)", limit: limit)
    }
}

/// A state that did not come.
package struct NotInTime: Error, CustomStringConvertible {
    let place: String
    let limit: Duration

    package var description: String { "what \(place) waits for did not come within \(limit.scaled)" }
}
