extension AppStoreServerClient {
    /// Request a Test Notification: Apple sends one to the URL for the environment in App Store Connect.
    ///
    /// - Throws: ``APIFailure``, with code `serverNotificationURLNotFound` if there is no URL.
    package func requestTestNotification(_ scope: APIScope) async throws(APIFailure) -> TestNotificationToken {
        let answer: TestNotificationAnswer = try await answer(APIRequest(.requestTestNotification), to: scope)
        return answer.testNotificationToken
    }

    /// Get Test Notification Status: returns how our endpoint responded, as seen by Apple's server.
    ///
    /// - Throws: ``APIFailure``, with code `testNotificationNotFound` until Apple's first attempt after about a minute.
    package func getTestNotificationStatus(
        _ token: TestNotificationToken, _ scope: APIScope
    ) async throws(APIFailure) -> TestNotificationStatus {
        let operation = APIOperation.getTestNotificationStatus
        let answer: TestNotificationStatusAnswer = try await answer(APIRequest(operation, token.rawValue), to: scope)
        let signedPayload = Array(answer.signedPayload.utf8)
        do throws(RefusedObject) {
            return TestNotificationStatus(
                signedPayload: signedPayload, verdict: try verdict(on: signedPayload, operation, scope),
                sendAttempts: answer.sendAttempts)
        } catch {
            throw APIFailure(error, in: operation)
        }
    }
}
