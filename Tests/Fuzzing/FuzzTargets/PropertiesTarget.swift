import Configuration

extension FuzzTarget {
    /// Parses a properties file. Keys must be unique and not empty, locations must be within the file, and errors must
    /// be few. Entries written with escapes must be parsed unchanged.
    static let properties = FuzzTarget(
        "properties", seeds: propertiesSeeds,
        tokens: [
            "=", ":", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\\\n", "\\\\", "\\ ", "\\t", "#", "!", "\r\n", "a=b\n",
            "é",
        ],
        maximumBytes: 1024
    ) { bytes throws(Violation) in
        let (entries, errors) = PropertiesFile.parse(bytes, path: "file")
        let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
        try hold(errors.count <= 20, "\(errors.count) errors")
        try hold(Set(entries.map(\.key)).count == entries.count, "a key twice")
        for entry in entries {
            try hold(!entry.key.isEmpty, "an empty key")
            try hold((1...lines).contains(entry.line), "line \(entry.line) of \(lines)")
        }
        let written = Array(entries.map { "\(escaped($0.key))=\(escaped($0.value))\n" }.joined().utf8)
        let again = PropertiesFile.parse(written, path: "file")
        // Escapes make a line longer.
        guard written.count < PropertiesFile.maximumLineBytes else { return }
        try hold(again.errors.isEmpty, "written again: \(again.errors)")
        try hold(
            again.entries.map { [$0.key, $0.value] } == entries.map { [$0.key, $0.value] },
            "written again other entries")
    }

    private static let propertiesSeeds: [[UInt8]] = [
        "a=b\n", "kafka.bootstrap.servers: a:9092,\\\n   b:9092\r\n# comment\nx = \\u00e9\\ud83d\\ude00\\ \n",
        "!x\n\na\\=b=\\t\\n\\r\\f",
        "\u{FEFF}a=b", "a\na=\n=b\na=1\na=2\n",
    ].map { Array($0.utf8) }

    /// Escapes special characters and all characters outside ASCII.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar -> String in
            if scalar.isASCII, scalar.value > 32, scalar.value < 127, !"\\=:#!".unicodeScalars.contains(scalar) {
                return String(scalar)
            }
            return String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }.joined()
    }
}
