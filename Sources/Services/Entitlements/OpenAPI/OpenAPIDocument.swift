/// The OpenAPI 3.1 description of the read API, served at `/v1/openapi.json`. It is a public contract: tests compare
/// every answer with it.
enum OpenAPIDocument {
    static let text = Array("{\(general),\"paths\":\(paths),\"components\":{\(shared),\"schemas\":\(schemas)}}".utf8)

    private static let general = #"""
          "openapi": "3.1.0",
          "info": {
            "title": "sluice-entitlements",
            "version": "1",
            "description": "Entitlements of customers. Further members may be added to answers; clients must ignore \#
        unknown members.",
            "license": {"name": "Apache License 2.0", "identifier": "Apache-2.0"}
          },
          "security": [{"key": []}]
        """#
}
