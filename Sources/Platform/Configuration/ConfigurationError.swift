/// The origin of a value or an error.
public enum ConfigurationOrigin: Sendable, Equatable, CustomStringConvertible {
    /// No source contains the key.
    case `default`
    /// A line in the properties file, numbered from 1.
    case file(path: String, line: Int)
    /// An environment variable.
    case environment(variable: String)
    /// A command-line flag, with its dashes.
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

/// An error in the configuration or the command line, described in one line with the key, its origin, the problem and
/// the fix. Equality compares all properties.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The command line is invalid for the command.
        public static let usage = Code(rawValue: "usage")
        /// No setting has this key.
        public static let unknownKey = Code(rawValue: "unknownKey")
        /// The value is invalid for the setting.
        public static let wrongValue = Code(rawValue: "wrongValue")
        /// A required key is missing.
        public static let missing = Code(rawValue: "missing")
        /// The configuration file cannot be read.
        public static let unreadableFile = Code(rawValue: "unreadableFile")
        /// A line in the file is not in the properties format.
        public static let syntax = Code(rawValue: "syntax")
        /// One source contains the same key twice.
        public static let duplicate = Code(rawValue: "duplicate")
    }

    /// The kind of error.
    public let code: Code
    /// The key that the error refers to, if any.
    public let key: String?
    /// The location of the error, or nil if no source contains the key.
    public let origin: ConfigurationOrigin?
    /// The error and its fix, in full sentences on one line.
    public let message: String

    public init(code: Code, key: String? = nil, origin: ConfigurationOrigin? = nil, message: String) {
        self.code = code
        self.key = key
        self.origin = origin
        self.message = message
    }

    /// A line such as `http.port (sluice.properties:3): "abc" must be an integer from 0 to 65535. …`.
    public var description: String {
        switch (key, origin) {
        case (let key?, let origin?): "\(printable(key)) (\(origin)): \(message)"
        case (let key?, nil): "\(printable(key)) \(message)"
        case (nil, let origin?): "\(origin): \(message)"
        case (nil, nil): message
        }
    }

    /// The exit code: 64 for an invalid command line, otherwise 78.
    public var exitCode: Int32 { code == .usage ? 64 : 78 }
}

/// All errors in the command line and the configuration.
public struct ConfigurationErrors: Error, Equatable, CustomStringConvertible {
    /// The errors. There is at least one.
    public let errors: [ConfigurationError]

    public init(_ errors: [ConfigurationError]) {
        self.errors = errors
    }

    /// One line per error.
    public var description: String { errors.map(\.description).joined(separator: "\n") }

    /// The exit code: 78 if any error is a configuration error, otherwise 64.
    public var exitCode: Int32 { errors.map(\.exitCode).max() ?? 78 }
}
