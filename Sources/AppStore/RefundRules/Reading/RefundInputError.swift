/// Why a rules file or an answer from the company's service is invalid. The error repeats none of the input's values.
package struct RefundInputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file or other input.
    package let name: String
    /// Line number, starting at 1.
    package let line: Int
    /// Path of the member, such as `rules[2].when.price.from`; empty if the error is about the input as a whole.
    package let member: String
    /// The problem and the allowed values, without a full stop.
    package let message: String

    /// Text such as `refund-rules.json:12: rules[2].outcome: expected one of decline, …`.
    package var description: String {
        "\(name):\(line): " + (member.isEmpty ? message : "\(member): \(message)")
    }
}
