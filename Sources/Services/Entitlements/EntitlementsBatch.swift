internal import AppStoreModel
internal import JSON

/// A request to `POST /v1/entitlements/query` for the entitlements of several subjects at one point in time.
struct EntitlementsBatch: Sendable, Equatable {
    /// One query per subject, in request order.
    var queries: [EntitlementsQuery]
    /// The time at which the entitlements are evaluated, or nil for the current time.
    var at: AppStoreInstant?

    static let maximumSubjects = 100
    /// Maximum body size in bytes. An escaped subject is at most two kilobytes long.
    static let maximumBytes = 256 * 1024

    /// Parses a body, which is one JSON object with `subjects` and optionally `environment`, `bundleId` and `at`.
    /// Unknown members are an error.
    init(_ body: [UInt8]) throws(Refusal) {
        let members = try BodyMembers(
            body, names: [ReadAPIName.subjects, ReadAPIName.environment, ReadAPIName.bundleId, ReadAPIName.at])
        guard let subjects = members[ReadAPIName.subjects]?.array, (1...Self.maximumSubjects).contains(subjects.count)
        else {
            throw Refusal(message: "\(ReadAPIName.subjects): expected 1 to \(Self.maximumSubjects) objects")
        }
        let environments = try QueriedEnvironments(try members.textIfAny(ReadAPIName.environment))
        let bundleId = try members.textIfAny(ReadAPIName.bundleId).map { BundleId($0) }
        let at = try members.instantIfAny(ReadAPIName.at)
        queries = []
        for (index, value) in subjects.enumerated() {
            queries.append(
                EntitlementsQuery(
                    subject: try Self.subject(value, index), environments: environments, bundleId: bundleId, at: at))
        }
        self.at = at
    }

    private static func subject(_ value: JSONValue, _ index: Int) throws(Refusal) -> Subject {
        do throws(Refusal) {
            guard let object = value.object else {
                throw Refusal(message: "expected an object")
            }
            let members = try BodyMembers(object, names: Subject.names)
            var texts: [String: String] = [:]
            for name in Subject.names { texts[name.description] = try members.textIfAny(name) }
            return try Subject { texts[$0.description] }
        } catch {
            throw Refusal(message: "\(ReadAPIName.subjects)[\(index)]: \(error.message)")
        }
    }
}
