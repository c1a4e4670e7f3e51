/// Where a value came from, or where a mistake is.
public enum ConfigurationOrigin: Sendable, Equatable, CustomStringConvertible {
    /// No source gave the key.
    case `default`
    /// A line of the properties file, counted from 1.
    case file(path: String, line: Int)
    /// An environment variable.
    case environment(variable: String)
    /// A flag of the command line, with its dashes.
    case flag(String)

    public var description: String {
        switch self {
        case .default: "default"
        case .file(let path, let line): "\(printable(path, maximum: .max)):\(line)"
        case .environment(let variable): printable(variable)
        case .flag(let flag): printable(flag)
        }
    }
}

/// One mistake in the configuration or on the command line, in one line: the key, its source, what is wrong, and
/// what to write instead. Equality compares all properties.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// What kind of mistake it is.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The command line has a form that the command does not know.
        public static let usage = Code(rawValue: "usage")
        /// A key that no setting has.
        public static let unknownKey = Code(rawValue: "unknownKey")
        /// A value that the setting does not allow.
        public static let wrongValue = Code(rawValue: "wrongValue")
        /// A required key is absent.
        public static let missing = Code(rawValue: "missing")
        /// The configuration file cannot be read.
        public static let unreadableFile = Code(rawValue: "unreadableFile")
        /// A line of the file is not a line of a properties file.
        public static let syntax = Code(rawValue: "syntax")
        /// A key is given twice in the same source.
        public static let duplicate = Code(rawValue: "duplicate")
    }

    /// What kind of mistake it is.
    public let code: Code
    /// The key, where one is meant.
    public let key: String?
    /// Where the mistake is; `nil` where nothing was given.
    public let origin: ConfigurationOrigin?
    /// What is wrong and how to put it right, in full sentences on one line.
    public let message: String

    public init(code: Code, key: String? = nil, origin: ConfigurationOrigin? = nil, message: String) {
        self.code = code
        self.key = key
        self.origin = origin
        self.message = message
    }

    /// One line: `http.port (sluice.properties:3): "abc" is not an integer from 0 to 65535. …`
    public var description: String {
        switch (key, origin) {
        case (let key?, let origin?): "\(printable(key)) (\(origin)): \(message)"
        case (let key?, nil): "\(printable(key)) \(message)"
        case (nil, let origin?): "\(origin): \(message)"
        case (nil, nil): message
        }
    }

    /// The exit code: 64 when the command line has the wrong form, else 78.
    public var exitCode: Int32 { code == .usage ? 64 : 78 }
}

/// All mistakes that were found, in the order file, environment, flags, missing keys.
public struct ConfigurationErrors: Error, Equatable, CustomStringConvertible {
    /// At least one.
    public let errors: [ConfigurationError]

    public init(_ errors: [ConfigurationError]) {
        self.errors = errors
    }

    /// One line for each mistake.
    public var description: String { errors.map(\.description).joined(separator: "\n") }

    /// 78 when one of the mistakes is in the configuration, else 64.
    public var exitCode: Int32 { errors.map(\.exitCode).max() ?? 78 }
}
