/// A rules file or an answer of the company's service is invalid. The error repeats none of its values.
package struct RefundInputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, or the name of another input.
    package let name: String
    /// Line number, from 1.
    package let line: Int
    /// Path of the member, such as `rules[2].when.price.from`; empty for the whole input.
    package let member: String
    /// The problem and the permitted values, without a full stop.
    package let message: String

    /// `refund-rules.json:12: rules[2].outcome: expected one of decline, …`
    package var description: String {
        "\(name):\(line): " + (member.isEmpty ? message : "\(member): \(message)")
    }
}
