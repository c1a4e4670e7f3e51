/// The reason why a rules file, a preference or an answer from the company's service is invalid. The error contains no
/// values from the input.
package struct RefundInputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file or other input.
    package let name: String
    /// The line number, starting at 1.
    package let line: Int
    /// The path of the member, such as `rules[2].when.price.from`. Empty if the error is about the input as a whole.
    package let member: String
    /// The problem and the allowed values, without a period.
    package let message: String

    /// A string such as `refund-rules.json:12: rules[2].outcome: expected one of decline, …`.
    package var description: String {
        "\(name):\(line): " + (member.isEmpty ? message : "\(member): \(message)")
    }
}
