extension AppStoreServerClient {
    /// Request a Test Notification: Apple sends one to the environment's URL in App Store Connect.
    ///
    /// - Throws: ``APIError``, with code `serverNotificationURLNotFound` if no URL is configured.
    package func requestTestNotification(_ scope: APIScope) async throws(APIError) -> TestNotificationToken {
        let answer: TestNotificationAnswer = try await answer(APIRequest(.requestTestNotification), to: scope)
        return answer.testNotificationToken
    }

    /// Get Test Notification Status: returns our endpoint's response, as seen by Apple's server.
    ///
    /// - Throws: ``APIError``, with code `testNotificationNotFound` until Apple's first delivery attempt, about a
    ///   minute after the request.
    package func getTestNotificationStatus(
        _ token: TestNotificationToken, _ scope: APIScope
    ) async throws(APIError) -> TestNotificationStatus {
        let operation = APIOperation.getTestNotificationStatus
        let answer: TestNotificationStatusAnswer = try await answer(APIRequest(operation, token.rawValue), to: scope)
        let signedPayload = Array(answer.signedPayload.utf8)
        do throws(RefusedObject) {
            return TestNotificationStatus(
                signedPayload: signedPayload, verdict: try verdict(on: signedPayload, operation, scope),
                sendAttempts: answer.sendAttempts)
        } catch {
            throw APIError(error, in: operation)
        }
    }
}
