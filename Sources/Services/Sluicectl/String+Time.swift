extension String {
    /// Whether the text begins like an RFC 3339 time, with a year and a hyphen. If so, it is not treated as a file
    /// path, so that an incomplete time is an error.
    var resemblesTime: Bool {
        let bytes = utf8.prefix(5)
        return bytes.count == 5 && bytes.last == UInt8(ascii: "-")
            && bytes.dropLast().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
