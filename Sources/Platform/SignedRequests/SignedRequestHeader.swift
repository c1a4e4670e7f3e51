/// The header fields of a signed request (https://www.standardwebhooks.com). Their names are a public contract.
package enum SignedRequestHeader {
    package static let id = "webhook-id"
    package static let timestamp = "webhook-timestamp"
    package static let signature = "webhook-signature"
}
