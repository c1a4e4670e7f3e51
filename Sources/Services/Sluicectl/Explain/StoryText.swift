internal import AppStoreModel
internal import CommandLine
internal import EntitlementRules
internal import JSON
internal import Story

/// Formats a story as text: the current state, a timeline, and a list of the places that were searched.
struct StoryText {
    let reveals: Bool

    func text(_ story: Story, _ answer: StoryAnswer?) -> String {
        var text = heading(story, withState: answer == nil)
        if let answer {
            text += self.text(answer)
        } else if story.entries.isEmpty {
            text += story.isFound ? "\nno events between --from and --to\n" : "\nnothing was found\n"
        } else {
            text += "\n" + story.entries.map(self.text).joined()
        }
        return text + footer(story)
    }

    private func heading(_ story: Story, withState: Bool) -> String {
        let kinds = story.kinds.map(\.rawValue)
        var text = "\(printable(story.identifier.text))  \(kinds.isEmpty ? "unknown" : kinds.joined(separator: ", "))"
        text += "  \(story.environment.rawValue)\n"
        for purchase in withState ? story.purchases : [] {
            text += "purchase  \(printable(purchase.key))\n"
            for standing in purchase.standings {
                text += "  now     \(printable(standing.line))\n"
                text += "  rule    \(standing.rule.rawValue): \(printable(standing.explanation))\n"
            }
            if let next = purchase.nextChange { text += "  next    changes by itself at \(PlainText.seconds(next))\n" }
        }
        return text
    }

    // MARK: Timeline

    private static let indent = String(repeating: " ", count: 22)

    private func text(_ entry: StoryEntry) -> String {
        let kind = entry.kind.rawValue.padded(to: 17)
        var text = "\(PlainText.seconds(entry.at))  \(kind) \(printable(entry.title))\n"
        for line in lines(entry) { text += Self.indent + "  " + printable(line) + "\n" }
        return text
    }

    private func lines(_ entry: StoryEntry) -> [String] {
        switch entry.kind {
        case .notification: notification(entry)
        case .state: change(entry)
        default: [pairs(entry, omitting: [StoryName.groups])].filter { !$0.isEmpty } + groups(entry)
        }
    }

    private func notification(_ entry: StoryEntry) -> [String] {
        var lines = [
            pairs(entry, only: [StoryName.notificationUUID, StoryName.transactionId, StoryName.productId]),
            pairs(entry, only: [StoryName.trust, StoryName.origin, StoryName.signedDate, StoryName.delaySeconds]),
            pairs(entry, only: [StoryName.position, StoryName.publishedTime, StoryName.archive]),
            pairs(
                entry, only: [StoryName.appAccountToken, StoryName.appTransactionId, StoryName.webOrderLineItemId]),
            pairs(entry, only: [StoryName.effect]),
        ]
        if reveals, let payload = value(StoryName.payload, of: entry) {
            lines.append("payload \(String(decoding: payload.json, as: UTF8.self))")
        }
        return lines.filter { !$0.isEmpty } + groups(entry)
    }

    private func change(_ entry: StoryEntry) -> [String] {
        var lines: [String] = []
        for standing in value(StoryName.after, of: entry)?.array ?? [] {
            let rule = standing.object?[StoryName.rule]?.string ?? "?"
            lines.append("rule \(rule): \(standing.object?[StoryName.explanation]?.string ?? "?")")
        }
        if let cause = value(StoryName.cause, of: entry)?.object { lines.append("cause " + Self.cause(cause)) }
        if let facts = value(StoryName.facts, of: entry)?.object { lines.append("facts " + Self.cause(facts)) }
        return lines
    }

    private static func cause(_ cause: JSONObject) -> String {
        let position = cause[StoryName.position]?.string ?? "?"
        switch cause[StoryName.kind]?.string {
        case "notification":
            let type = cause[StoryName.notificationType]?.string ?? "?"
            return "\(type) \(cause[StoryName.notificationUUID]?.string ?? "-") at \(position)"
        case "published_state":
            return "published state at \(position), with facts that are in none of the searched notifications"
        case "erasure": return "erasure at \(position)"
        default: return "time"
        }
    }

    private func groups(_ entry: StoryEntry) -> [String] {
        let groups = (value(StoryName.groups, of: entry)?.array ?? []).compactMap(\.object)
        guard !groups.isEmpty else { return [] }
        func names(_ status: String) -> String? {
            let names = groups.filter { $0[StoryName.status]?.string == status }
                .compactMap { $0[StoryName.group]?.string }
            return names.isEmpty ? nil : names.joined(separator: ", ")
        }
        let parts = [names("handled").map { "handled by \($0)" }, names("not_yet").map { "not yet by \($0)" }]
        return [parts.compactMap { $0 }.joined(separator: "; ")]
    }

    private func value(_ name: String, of entry: StoryEntry) -> JSONValue? {
        entry.fields.first { $0.name == name }.map { $0.isPersonal && !reveals ? .string(Story.mask) : $0.value }
    }

    private func pairs(_ entry: StoryEntry, only names: [String]? = nil, omitting omitted: Set<String> = []) -> String {
        entry.fields.filter { names?.contains($0.name) ?? !omitted.contains($0.name) }.map { field in
            let value = field.isPersonal && !reveals ? .string(Story.mask) : field.value
            return "\(field.name) \(value.string ?? String(decoding: value.json, as: UTF8.self))"
        }.joined(separator: "  ")
    }

    // MARK: Answer

    private func text(_ answer: StoryAnswer) -> String {
        guard !answer.purchases.isEmpty else {
            let subject = answer.entitlement.map { "no purchase grants \(printable($0))" } ?? "no known purchases"
            return "\nat \(PlainText.seconds(answer.at)): \(subject)\n"
        }
        var text = "\nat \(PlainText.seconds(answer.at))"
        if let entitlement = answer.entitlement {
            text += ": \(printable(entitlement)) \(answer.isEntitled ? "is granted" : "is not granted")"
        }
        text += "\n"
        for purchase in answer.purchases { text += self.text(purchase, isWhy: answer.entitlement != nil) }
        return text
    }

    private func text(_ purchase: StoryAnswer.Purchase, isWhy: Bool) -> String {
        var text = printable(purchase.key) + "\n"
        if purchase.standings.isEmpty { text += "  nothing known at that time\n" }
        for standing in purchase.standings { text += self.text(standing, "state") }
        if let change = purchase.change {
            text += "  since   \(PlainText.seconds(change.at))\n"
            text += "  cause   \(printable(change.cause.text))\n"
            if change.cause == .time, let origin = change.origin { text += "  facts   \(printable(origin.text))\n" }
        }
        if let later = purchase.asKnownNow {
            for standing in later { text += self.text(standing, "later") }
            text +=
                later.isEmpty
                ? "  later   nothing: the facts were erased or replaced since then\n"
                : "          according to Apple's statements received since then\n"
        }
        guard isWhy else { return text }
        for change in purchase.changes {
            let states = change.after.isEmpty ? "no state" : change.after.map(\.line).joined(separator: "; ")
            text += "  \(PlainText.seconds(change.at))  \(printable(states))  (\(printable(change.cause.text)))\n"
        }
        return text
    }

    private func text(_ standing: Standing, _ name: String) -> String {
        "  \(name)   \(printable(standing.line))\n"
            + "  rule    \(standing.rule.rawValue): \(printable(standing.explanation))\n"
    }

    // MARK: Extent

    private func footer(_ story: Story) -> String {
        var text = ""
        if !story.searched.isEmpty { text += "\nsearched\n" }
        let empty = story.searched.filter { $0.records == 0 && $0.notSearched == nil }.map(\.topic)
        for extent in story.searched where !empty.contains(extent.topic) {
            let ranges = zip(extent.partitions, extent.offsets).map { "\($0)@\($1)" }.joined(separator: ", ")
            text += "  \(printable(extent.topic)): \(extent.partitions.count) of \(extent.partitionCount) partitions, "
            text += "\(extent.records) records (\(ranges))\n"
            if let unread = extent.notSearched { text += "    not searched: \(unread)\n" }
        }
        if !empty.isEmpty { text += "  no records: \(printable(empty.joined(separator: ", ")))\n" }
        if !story.gaps.isEmpty { text += "\nnot known\n" }
        for gap in story.gaps {
            text += "  \(printable(gap.what))\n"
            if !gap.fix.isEmpty { text += "    \(printable(gap.fix))\n" }
        }
        return text
    }

    private func printable(_ text: String) -> String { PlainText.printable(text, maximum: 1 << 16) }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
