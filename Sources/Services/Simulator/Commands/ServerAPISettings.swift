internal import Configuration

/// Settings of the simulated App Store Server API, for all commands that serve it.
enum ServerAPISettings {
    static let port = Setting.integer(
        "api-port", in: 0...65535,
        help: "Serve the App Store Server API for the environment on this port (127.0.0.1); 0 selects a free port.",
        example: "8090"
    ).optional.onCommandLineOnly
    static let sandboxPort = Setting.integer(
        "api-sandbox-port", default: 0, in: 0...65535,
        help: "Additional port for the sandbox; 0 selects a free port."
    ).onCommandLineOnly
    static let limit = Setting(
        "api-limit", .serverAPILimits, default: .unlimited,
        help:
            "Requests per second accepted by each endpoint; `apple` for Apple's limits, a tenth of them in the sandbox."
    ).onCommandLineOnly
    static let faults = Setting(
        "api-faults", .serverAPIFaults, default: ServerAPIFaults.none,
        help:
            "Share of requests that fail, by kind: latency, 429, 500, 500-retryable, 403, timeout, reset, malformed, "
            + "lost (processed without a response). --seed selects the requests.",
        example: "429=10%,reset=5%"
    ).onCommandLineOnly
    static let faultEndpoints = Setting(
        "api-fault-endpoints", ValueKind.list(of: .oneOf(ServerAPIOperation.allCases, text: \.rawValue)), default: [],
        help: "Endpoints affected by --api-faults, as named by Apple. Default: all.",
        example: "sendConsumptionInformation"
    ).onCommandLineOnly
    static let isAtApplesSite = Setting.flag(
        "refunds-at-apple",
        help: "Customers request refunds on Apple's site. Declined requests then do not trigger a notification.")
    static let latency = Setting.duration(
        "api-latency", default: .seconds(1), in: .milliseconds(1)...Duration.minutes(10),
        help: "Response delay for --api-faults latency."
    ).onCommandLineOnly
    static let decisionDelay = Setting.duration(
        "decision-delay", default: .hours(4), in: .zero...Duration.days(30),
        help: "Time from a consumption answer to the refund decision, divided by --time-scale."
    ).onCommandLineOnly
    static let historyFiles = Setting.string(
        "history-files",
        help:
            "Directory of .jws files, each a compact JWS or a body that contains one. The notification history lists "
            + "them unchanged, each with one delivery attempt that got no response. Set --app to the app that the "
            + "files belong to.",
        example: "./captured"
    ).optional.onCommandLineOnly
    static let acceptUnknown = Setting.flag(
        "accept-unknown", help: "Accept consumption answers for unknown transactions.")
}

extension ValueKind where Value == ServerAPILimits {
    static var serverAPILimits: ValueKind {
        ValueKind(
            name: "LIMIT", expected: "none, apple, or requests per second from 1 to 1000000", example: "50",
            text: \.text
        ) { text throws(SettingError) in
            switch text {
            case "none": return .unlimited
            case "apple": return .apple
            default:
                guard let requests = Int(text), (1...1_000_000).contains(requests), !text.hasPrefix("+") else {
                    throw SettingError("must be none, apple, or a number from 1 to 1000000")
                }
                return .perSecond(requests)
            }
        }
    }
}

extension ServerAPILimits {
    fileprivate var text: String {
        switch self {
        case .unlimited: "none"
        case .apple: "apple"
        case .perSecond(let requests): String(requests)
        }
    }
}

extension ValueKind where Value == ServerAPIFaults {
    static var serverAPIFaults: ValueKind {
        ValueKind(
            name: "KIND=PERCENT,\u{2026}", expected: "none, or a list of fault kinds with shares",
            example: "429=10%,reset=5%", text: { $0 == ServerAPIFaults.none ? "none" : $0.text }
        ) { text throws(SettingError) in
            if text == "none" { return ServerAPIFaults.none }
            guard let faults = ServerAPIFaults(text: text) else {
                let kinds = ServerAPIFaults.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw SettingError(
                    "must be a list of kind=percentage in which each kind occurs at most once and the total is at most "
                        + "100%, such as 429=10%,reset=5%; kinds: \(kinds)")
            }
            return faults
        }
    }
}
