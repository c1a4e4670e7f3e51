internal import Configuration

/// An element of the `apps` setting.
package struct ConfiguredApp: Sendable, Equatable {
    package let bundleId: String
    package let appAppleId: Int64

    static let kind = ValueKind<ConfiguredApp>(
        name: "APP", expected: "a bundle id and Apple's app id, separated by a colon",
        example: "com.example.app:1234567890", text: { "\($0.bundleId):\($0.appAppleId)" }
    ) { text throws(SettingError) in
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let appAppleId = Int64(parts[1]), appAppleId > 0 else {
            throw SettingError("must be a bundle id and Apple's app id, such as com.example.app:1234567890")
        }
        guard !parts[0].isEmpty, parts[0].utf8.count <= 155, parts[0].utf8.allSatisfy(isBundleIdByte) else {
            throw SettingError("must begin with a bundle id of 1 to 155 letters, digits, dots and hyphens")
        }
        return ConfiguredApp(bundleId: String(parts[0]), appAppleId: appAppleId)
    }

    private static func isBundleIdByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
