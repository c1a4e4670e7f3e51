import TestSupport

extension LegacyStory {
    static let momentCount = 24
    /// The maximum number of bodies that the rules keep; see `FactsBounds`.
    private static let maximumBodies = 16

    /// Generates the story for a seed; it is the same in every run.
    static func random(seed: UInt64) -> LegacyStory {
        var random = SeededGenerator(seed: seed)
        var settings = AccessSettings()
        settings.renewalLeeway = (Bool.random(using: &random) ? 1 : 3) * hour
        settings.graceFallback = ([3, 16, 28].randomElement(using: &random) ?? 3) * day
        var writer = StoryWriter(kind: .subscription, random: random)
        writer.writeSubscription(periods: Int(writer.between(1, 4)))
        // A third of the apps switch to version 2 at some point.
        let last = writer.statements.last?.signed ?? 0
        let switched = writer.chance(33) ? writer.between(0, last) : .max
        let bodies = bodies(&writer, until: switched).sorted { $0.received < $1.received }
        let deliveries = deliveries(&writer, since: switched)
        let kept = Array(bodies.prefix(maximumBodies))
        let confirmations = confirmations(of: kept, &writer)
        return LegacyStory(
            seed: seed, settings: settings, deliveries: deliveries, bodies: kept, confirmations: confirmations,
            moments: moments(writer, kept, confirmations, settings))
    }

    /// Delivers most bodies immediately. Some are up to three days late, some are repeated, and a few are lost.
    private static func bodies(_ writer: inout StoryWriter, until switched: Int64) -> [StatedBody] {
        var bodies: [StatedBody] = []
        for (statement, snapshot) in zip(writer.statements, writer.snapshots) where statement.signed < switched {
            for draft in StatedBody.told(statement, snapshot, after: bodies.last) {
                let fate = writer.between(0, 99)
                if fate < 4 { continue }
                let delay = fate < 18 ? writer.between(hour, 3 * day) / 1_000 * 1_000 : 0
                for attempt in 0..<(fate % 9 == 0 ? 2 : 1) {
                    var body = draft
                    // Every body has a unique time of receipt.
                    body.received = statement.signed + delay + Int64(attempt) * 13 * hour + Int64(bodies.count)
                    body.date = min(body.date, body.received)
                    bodies.append(body)
                }
            }
        }
        return bodies
    }

    /// Delivers version 2 notifications after the switch, and all of the app's uploads.
    private static func deliveries(_ writer: inout StoryWriter, since switched: Int64) -> [AccessStory.Delivery] {
        var deliveries: [AccessStory.Delivery] = []
        for statement in writer.statements where statement.type == nil || statement.signed >= switched {
            let delay = writer.chance(20) ? writer.between(hour, 3 * day) / 1_000 * 1_000 : 0
            deliveries.append(AccessStory.Delivery(received: statement.signed + delay, statement: statement))
        }
        return deliveries.sorted { $0.received < $1.received }
    }

    /// Generates Apple's answers to none, a third, or all of the queries caused by the bodies.
    private static func confirmations(of bodies: [StatedBody], _ writer: inout StoryWriter) -> [StatedConfirmation] {
        let share: Int64 = [0, 30, 100].randomElement(using: &writer.random) ?? 0
        var confirmations: [StatedConfirmation] = []
        for body in bodies where writer.chance(share) {
            let asked = body.received + writer.between(0, writer.chance(80) ? minute : day)
            let signed = (asked + writer.between(1_000, minute)) / 1_000 * 1_000
            guard let index = writer.statements.lastIndex(where: { $0.signed <= signed }),
                writer.snapshots[index].isTrue(at: signed)
            else { continue }
            let named = Set(bodies.filter { $0.received <= asked }.map(\.transaction.id))
            confirmations.append(
                StatedConfirmation(
                    asked: asked, received: signed + writer.between(0, writer.chance(80) ? 5_000 : hour),
                    statements: statements(of: writer.snapshots[index], signed: signed, naming: named, &writer)))
        }
        return confirmations.sorted { $0.received < $1.received }
    }

    /// Returns the statements in an answer. The status contains only the newest transaction (9.5); each of the others
    /// requires a query that may fail.
    private static func statements(
        of snapshot: AppleSnapshot, signed: Int64, naming ids: Set<String>, _ writer: inout StoryWriter
    ) -> [AppleStatement] {
        guard var newest = snapshot.newest else { return [] }
        newest.signed = signed
        var renewal = snapshot.renewal
        renewal.signed = signed
        var statements = [
            AppleStatement(signed: signed, status: snapshot.status, transaction: newest, renewal: renewal)
        ]
        for transaction in snapshot.transactions where transaction.id != newest.id && ids.contains(transaction.id) {
            guard writer.chance(80) else { continue }
            var copy = transaction
            copy.signed = signed
            statements.append(AppleStatement(signed: signed, transaction: copy))
        }
        return statements
    }

    /// Generates times, half of them close to a change.
    private static func moments(
        _ writer: StoryWriter, _ bodies: [StatedBody], _ confirmations: [StatedConfirmation],
        _ settings: AccessSettings
    ) -> [Int64] {
        var random = writer.random
        var edges = bodies.map(\.received) + confirmations.map(\.received) + writer.transactions.map(\.start)
        edges += writer.transactions.compactMap(\.revoked) + bodies.compactMap(\.renewal.graceExpires)
        for end in writer.transactions.compactMap(\.expires) {
            edges += [end, end + settings.renewalLeeway, end + settings.graceFallback, end + 60 * day]
        }
        let last = (edges.max() ?? 0) + 2 * day
        let moments = (0..<momentCount).map { index in
            let edge = edges.randomElement(using: &random) ?? 0
            let shifts: [Int64] = [-1_000, 0, 1_000, 6 * minute, hour, -hour]
            let shift = shifts.randomElement(using: &random) ?? 0
            return index % 2 == 0 ? edge + shift : Int64.random(in: 0...last, using: &random)
        }
        return moments.sorted()
    }
}
