/// The injected faults: the requests that fail, and the kind of failure.
package struct ServerAPIFaults: Sendable, Equatable {
    /// A kind of failure. The raw value is its name on the command line.
    package enum Kind: String, Sendable, CaseIterable {
        /// The response is delayed.
        case latency
        /// A response with status 429 and code 4290000, although the limit has not been reached.
        case rateLimit = "429"
        /// A response with status 500 and code 5000000.
        case internalError = "500"
        /// A response with status 500 and code 5000001.
        case retryableError = "500-retryable"
        /// A response with status 403 and an HTML page, like an intermediate proxy's response.
        case forbidden = "403"
        /// No response.
        case timeout
        /// The connection is reset before the request is processed.
        case reset
        /// A response that is not JSON.
        case malformed
        /// The request is performed, but the connection is reset before the response is sent.
        case lost
    }

    /// The value of `Retry-After`: Apple's format, and other formats that a client may encounter.
    package enum RetryAfter: String, Sendable, CaseIterable {
        /// Unix time in milliseconds: Apple's format.
        case milliseconds
        /// Seconds from now.
        case seconds
        /// Unix time in seconds.
        case epochSeconds
        /// An HTTP date.
        case date
        case absent
        /// The time one hour ago, as Unix time in milliseconds.
        case past
        /// A date in the year 3000, as Unix time in milliseconds.
        case far
    }

    /// The share of requests that fail in each way. The sum is at most 100%.
    package let shares: [Kind: Percentage]
    package var seed: UInt64
    /// The delay of a response.
    package var latency = Duration.seconds(1)
    /// The time after which a connection without a response is reset.
    package var hold = Duration.seconds(60)
    /// The wait announced by a 429 that was not caused by a limit.
    package var retryAfter = Duration.seconds(1)
    package var retryAfterForm = RetryAfter.milliseconds
    /// The endpoints that fail, or nil for all.
    package var operations: Set<ServerAPIOperation>?

    /// - Returns: faults, or `nil` if the shares add up to more than 100%.
    package init?(_ shares: [Kind: Percentage], seed: UInt64 = 1) {
        guard shares.values.reduce(0, { $0 + $1.basisPoints }) <= 10_000 else { return nil }
        self.shares = shares.filter { $0.value != .zero }
        self.seed = seed
    }

    private init() {
        shares = [:]
        seed = 1
    }

    package static let none = ServerAPIFaults()

    /// Returns faults that make every request fail with this kind of failure.
    package static func always(_ kind: Kind) -> ServerAPIFaults {
        Percentage(basisPoints: 10_000).flatMap { ServerAPIFaults([kind: $0]) } ?? .none
    }

    /// Parses text such as `429=10%,reset=5%`. Returns `nil` if the text is malformed, a kind occurs twice, or the
    /// shares add up to more than 100%.
    package init?(text: String) {
        var shares: [Kind: Percentage] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2, let kind = Kind(rawValue: String(sides[0])), shares[kind] == nil,
                let share = Percentage(text: String(sides[1]))
            else { return nil }
            shares[kind] = share
        }
        self.init(shares)
    }

    /// The shares in the format that ``init(text:)`` parses.
    package var text: String {
        Kind.allCases.compactMap { kind in shares[kind].map { "\(kind.rawValue)=\($0.text)" } }.joined(separator: ",")
    }

    /// Returns the failure to inject into a request, or `nil` if the request does not fail.
    ///
    /// The result depends only on the seed, the request and its number among the requests with the same path. It
    /// therefore does not depend on the order of requests with different paths.
    ///
    /// - Parameter number: the number of earlier requests with this path.
    func fault(of operation: ServerAPIOperation, _ method: String, _ path: String, number: Int) -> Kind? {
        guard !shares.isEmpty, operations?.contains(operation) ?? true else { return nil }
        var generator = SeededGenerator(seed: seed, purpose: "fault/\(method) \(path)/\(number)")
        var drawn = Int(generator.next() % 10_000)
        for kind in Kind.allCases {
            guard let share = shares[kind] else { continue }
            if drawn < share.basisPoints { return kind }
            drawn -= share.basisPoints
        }
        return nil
    }
}
