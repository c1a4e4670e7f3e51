import Foundation

/// Files outside of the checkout.
package enum Checkout {
    /// Returns the first `relative` path in a parent directory of this file for which `isRight` returns true.
    package static func beside(_ relative: String, where isRight: (String) -> Bool) -> String? {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appending(path: relative).path
            if isRight(candidate) { return candidate }
            folder.deleteLastPathComponent()
        }
        return nil
    }
}
