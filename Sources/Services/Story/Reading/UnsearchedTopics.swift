internal import Kafka

/// The topics that were not searched, by reason.
struct UnsearchedTopics {
    /// The fix for a topic that the user may not access.
    static let grant =
        "Grant this user Describe and Read on the topic; "
        + "sluicectl topics acls prints the commands for the services' users"

    /// Missing topics that every installation should have.
    let missing: [KafkaTopic]
    /// Topics that the user may not describe.
    let hidden: [KafkaTopic]
    /// Topics that the user may describe but not read.
    let unreadable: [KafkaTopic]
    /// Topics without which the story is incomplete. Any other missing topic would contain nothing.
    let usual: [KafkaTopic]

    /// Whether the story may lack events.
    var areNeeded: Bool { !hidden.isEmpty || !unreadable.isEmpty || missing.contains(where: usual.contains) }

    /// One gap for each reason.
    var gaps: [Story.Gap] {
        [
            gap("they do not exist", missing, fix: "Create them with: sluicectl topics apply"),
            gap("this user may not describe them", hidden, fix: Self.grant),
            gap("this user may describe but not read them", unreadable, fix: Self.grant),
        ].compactMap { $0 }
    }

    private func gap(_ cause: String, _ topics: [KafkaTopic], fix: String) -> Story.Gap? {
        guard !topics.isEmpty else { return nil }
        let list = topics.map(\.rawValue).sorted().joined(separator: ", ")
        return Story.Gap("topics not searched, because \(cause): \(list)", fix: fix)
    }
}
