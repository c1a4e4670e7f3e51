/// The rights of a principal, for one executable or for several.
struct AccessGrant: Equatable {
    /// Kafka's name of the principal, with its type: `User:sluice-ingress`.
    let principal: String
    let executables: [AccessTable.Executable]
    let rights: [AccessRight]

    /// - Parameters:
    ///   - executables: the executables to grant rights to.
    ///   - principal: the principal of all of them; nil gives each a principal with its own name.
    static func grants(
        to executables: [AccessTable.Executable], as principal: String?, _ table: AccessTable
    ) -> [AccessGrant] {
        guard let principal else {
            return executables.map {
                AccessGrant(principal: "User:\($0.rawValue)", executables: [$0], rights: table.rights(of: $0))
            }
        }
        return [
            AccessGrant(
                principal: principal, executables: executables,
                rights: AccessRight.merged(executables.flatMap(table.rights)))
        ]
    }
}
