/// The permissions to grant to a principal, and the executables that use this principal.
struct AccessGrant: Equatable {
    /// The principal's name in Kafka, including its type: `User:sluice-ingress`.
    let principal: String
    let executables: [AccessTable.Executable]
    let rights: [AccessRight]

    /// - Parameters:
    ///   - executables: the executables that need the permissions.
    ///   - principal: the principal that all of them use, or nil if each uses a principal with the executable's name.
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
