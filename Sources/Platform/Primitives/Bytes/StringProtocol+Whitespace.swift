extension StringProtocol {
    /// The text without leading and trailing whitespace and line breaks.
    package var trimmingWhitespace: String {
        var text = self[...].drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
