internal import AppStoreModel

extension EnvelopeField {
    /// Not sent, or sent as `null`. A comparison with `==` would compare values too, which this does not need.
    var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }
}
