/// Why a rules file, or the answer of the company's service, is not what it should be. It repeats no value of it.
package struct RefundInputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, or what else was read.
    package let name: String
    /// From 1.
    package let line: Int
    /// Such as `rules[2].when.price.from`; empty for the whole.
    package let member: String
    /// What is wrong and what is allowed, without a full stop.
    package let message: String

    /// `refund-rules.json:12: rules[2].outcome: expected one of decline, …`
    package var description: String {
        "\(name):\(line): " + (member.isEmpty ? message : "\(member): \(message)")
    }
}
