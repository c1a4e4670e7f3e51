package import JSON

extension JSONWriter {
    /// A moment as Apple writes it: milliseconds since 1970. Absent when nil.
    package mutating func set(_ name: StaticString, _ value: AppStoreInstant?) {
        set(name, value?.millisecondsSince1970)
    }
}
