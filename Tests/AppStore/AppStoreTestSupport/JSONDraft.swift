/// A JSON object whose member values are raw JSON texts, in order, so that invalid values can also be written.
package struct JSONDraft: Sendable {
    private var members: [(name: String, value: String)]

    package init(_ members: KeyValuePairs<String, String>) {
        self.members = members.map { ($0.key, $0.value) }
    }

    /// The raw value of a member. Setting nil removes the member.
    package subscript(name: String) -> String? {
        get { members.first { $0.name == name }?.value }
        set {
            guard let index = members.firstIndex(where: { $0.name == name }) else {
                if let newValue { members.append((name, newValue)) }
                return
            }
            if let newValue { members[index].value = newValue } else { members.remove(at: index) }
        }
    }

    package var text: String { "{" + members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}" }
}
