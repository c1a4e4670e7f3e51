internal import Primitives

/// The parameters of a query string, in order.
struct ServerAPIQuery {
    let parameters: [(name: String, value: String)]

    init(_ query: String?) {
        parameters = (query ?? "").split(separator: "&").map { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                PercentEncoding.decodeOrKeep(parts[0]), parts.count == 2 ? PercentEncoding.decodeOrKeep(parts[1]) : ""
            )
        }
    }

    /// Returns every value of a parameter.
    func values(_ name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    /// Returns the value of a parameter that may occur at most once, or nil if it is absent.
    ///
    /// - Throws: `error` if it occurs more than once.
    func value(_ name: String, _ error: ServerAPIError) throws(ServerAPIError) -> String? {
        let values = values(name)
        guard values.count <= 1 else { throw error }
        return values.first
    }

    /// - Throws: `generalBadRequest` if a parameter has any other name.
    func checkNames(_ names: Set<String>) throws(ServerAPIError) {
        guard parameters.allSatisfy({ names.contains($0.name) }) else { throw .generalBadRequest }
    }
}
