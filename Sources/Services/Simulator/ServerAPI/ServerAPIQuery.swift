internal import Bytes

/// The parameters of a query, in order.
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

    /// Every value of that name.
    func values(_ name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    /// The value of a parameter that may be given once.
    ///
    /// - Throws: `error` when it is given more often.
    func value(_ name: String, _ error: ServerAPIError) throws(ServerAPIError) -> String? {
        let values = values(name)
        guard values.count <= 1 else { throw error }
        return values.first
    }

    /// - Throws: `generalBadRequest` for a parameter of another name.
    func checkNames(_ names: Set<String>) throws(ServerAPIError) {
        guard parameters.allSatisfy({ names.contains($0.name) }) else { throw .generalBadRequest }
    }
}
