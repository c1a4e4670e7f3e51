import Configuration
import ObjectStorage
import Testing

struct S3CredentialsTests {
    @Test(arguments: [
        "aws_access_key_id=AK\naws_secret_access_key=S/+=\n",
        "# made by an operator\n[default]\r\naws_access_key_id = AK\r\naws_secret_access_key = S/+=\r\nregion = eu\n",
        "\n  [archive]\n\taws_secret_access_key\t= S/+=\n;\naws_access_key_id  =AK",
    ])
    func `a file in the format of AWS's tools is read`(_ text: String) throws {
        let credentials = try S3Credentials(file: Array(text.utf8))
        #expect(credentials.accessKeyId == "AK")
        #expect(credentials.secretAccessKey.revealedBytes == Array("S/+=".utf8))
        #expect(credentials.sessionToken == nil)
    }

    @Test func `temporary keys have a token`() throws {
        let text = "aws_access_key_id=A\naws_secret_access_key=S\naws_session_token=T"
        #expect(try S3Credentials(file: Array(text.utf8)).sessionToken == "T")
    }

    @Test(arguments: [
        "", "[default]", "aws_access_key_id=A", "aws_secret_access_key=hidden", "hidden",
        "aws_access_key_id=A\naws_secret_access_key=\n", "aws_access_key_id=A\naws_access_key_id=hidden",
        "aws_access_key_id=A\naws_secret_access_key=hid den", "aws_access_key_id=A\naws_secret_access_key=hidden\u{7F}",
        "[a]\naws_access_key_id=A\naws_secret_access_key=hidden\n[b]\naws_access_key_id=B",
    ])
    func `any other file is refused without showing its content`(_ text: String) {
        let problem = #expect(throws: FileError.self) { try S3Credentials(file: Array(text.utf8)) }
        #expect(problem?.message.contains("hid") == false)
    }

    @Test func `a secret is never printed`() throws {
        let credentials = try S3Credentials(file: Array("aws_access_key_id=A\naws_secret_access_key=hidden".utf8))
        #expect(!"\(credentials)".contains("hidden"))
        #expect(!String(reflecting: credentials).contains("hidden"))
    }
}
