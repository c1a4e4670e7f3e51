extension StringProtocol {
    /// The text without white space and line ends at both ends.
    package var trimmingWhitespace: String {
        var text = self[...].drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
