internal import Cryptography
internal import HTTPClient

extension S3Store {
    /// Uploads the parts one after another, each with its checksum. The condition applies to the final request, which
    /// creates the object.
    func putInParts(
        _ name: ObjectName, _ bytes: [UInt8], expected: ObjectVersion?, isLocked: Bool
    ) async throws(ObjectStoreError) -> ObjectVersion {
        let upload = try await beginUpload(name, bytes, isLocked: isLocked)
        do throws(ObjectStoreError) {
            var parts: [(tag: String, checksum: String)] = []
            var start = 0
            while start < bytes.count {
                let end = min(start + client.configuration.partBytes, bytes.count)
                parts.append(try await sendPart(parts.count + 1, of: upload, name, Array(bytes[start..<end])))
                start = end
            }
            return try await completeUpload(upload, name, bytes, parts, expected: expected)
        } catch {
            // Uploaded parts take up space until the upload is aborted. Ignore a failure to abort, because the
            // service's lifecycle rules eventually remove the parts.
            let call = S3Call(
                method: "DELETE", name: name, query: [("uploadId", upload)],
                action: "abort the upload of \(client.url(name))")
            _ = try? await client.send(call)
            throw error
        }
    }

    private func beginUpload(
        _ name: ObjectName, _ bytes: [UInt8], isLocked: Bool
    ) async throws(ObjectStoreError) -> String {
        let call = S3Call(
            method: "POST", name: name, query: [("uploads", "")],
            headers: metadata(bytes) + (isLocked ? retention() : []) + [("x-amz-checksum-algorithm", "SHA256")],
            action: "start the upload of \(client.url(name))")
        let response = try await client.send(call).response
        guard (200..<300).contains(response.status) else { throw S3Problem(response).error(call.action) }
        guard let answer = XMLElement(document: response.body), answer.name == "InitiateMultipartUploadResult",
            let upload = answer.text("UploadId"), !upload.isEmpty
        else { throw malformed(call) }
        return upload
    }

    private func sendPart(
        _ number: Int, of upload: String, _ name: ObjectName, _ bytes: [UInt8]
    ) async throws(ObjectStoreError) -> (tag: String, checksum: String) {
        let call = S3Call(
            method: "PUT", name: name, query: [("partNumber", String(number)), ("uploadId", upload)],
            headers: checksum(bytes), body: bytes, action: "write part \(number) of \(client.url(name))")
        let response = try await client.send(call).response
        guard (200..<300).contains(response.status) else { throw S3Problem(response).error(call.action) }
        return (try version(response, call).text, Self.base64(SHA256.digest(of: bytes)))
    }

    private func completeUpload(
        _ upload: String, _ name: ObjectName, _ bytes: [UInt8], _ parts: [(tag: String, checksum: String)],
        expected: ObjectVersion?
    ) async throws(ObjectStoreError) -> ObjectVersion {
        var body = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        for (index, part) in parts.enumerated() {
            let tag = part.tag.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            body += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag)</ETag>"
            body += "<ChecksumSHA256>\(part.checksum)</ChecksumSHA256></Part>"
        }
        body += "</CompleteMultipartUpload>"
        let call = S3Call(
            method: "POST", name: name, query: [("uploadId", upload)],
            headers: condition(expected) + [("content-type", "application/xml")], body: Array(body.utf8),
            mayFailLate: true, action: "complete the upload of \(client.url(name))")
        let outcome = try await client.send(call)
        guard (200..<300).contains(outcome.response.status) else {
            return try await written(outcome, call, name, bytes)
        }
        // The element's name varies between services.
        guard let answer = XMLElement(document: outcome.response.body),
            let tag = answer.text("ETag"), !tag.isEmpty
        else { throw malformed(call) }
        return ObjectVersion(text: tag)
    }

    func malformed(_ call: S3Call) -> ObjectStoreError {
        ObjectStoreError(.corrupt, "cannot \(call.action): the response does not have the S3 format")
    }
}
