internal import AppStoreModel
internal import Records

/// The environments that a query covers: one, or all published ones.
enum QueriedEnvironments: Sendable, Equatable {
    case one(AppStoreEnvironment)
    case all

    /// Parses the parameter, which defaults to Production.
    init(_ text: String?) throws(Refusal) {
        switch text {
        case nil: self = .one(.production)
        case Self.allName: self = .all
        case .some(let text):
            guard let environment = AppStoreEnvironment(published: text) else {
                throw Refusal(message: "\(ReadAPIName.environment): expected Production, Sandbox or \(Self.allName)")
            }
            self = .one(environment)
        }
    }

    private static let allName = "all"

    var environments: [AppStoreEnvironment] {
        switch self {
        case .one(let environment): [environment]
        case .all: AppStoreEnvironment.published
        }
    }

    /// The parameter's value as text.
    var text: String {
        switch self {
        case .one(let environment): environment.rawValue
        case .all: Self.allName
        }
    }
}
