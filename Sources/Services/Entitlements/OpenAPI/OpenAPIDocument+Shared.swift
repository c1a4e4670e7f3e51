extension OpenAPIDocument {
    /// Security schemes, parameters and refusals.
    static let shared = #"""
          "securitySchemes": {
            "key": {
              "type": "http",
              "scheme": "bearer",
              "description": "A key of http.keys.file. Not asked for where none is set."
            }
          },
          "parameters": {
            "appAccountToken": {
              "name": "appAccountToken",
              "in": "query",
              "schema": {"type": "string", "format": "uuid"},
              "description": "One of the four is given."
            },
            "originalTransactionId": {
              "name": "originalTransactionId",
              "in": "query",
              "schema": {"$ref": "#/components/schemas/Text"},
              "description": "One of the four is given."
            },
            "appTransactionId": {
              "name": "appTransactionId",
              "in": "query",
              "schema": {"$ref": "#/components/schemas/Text"},
              "description": "One of the four is given."
            },
            "transactionId": {
              "name": "transactionId",
              "in": "query",
              "schema": {"$ref": "#/components/schemas/Text"},
              "description": "One of the four is given."
            },
            "environment": {
              "name": "environment",
              "in": "query",
              "schema": {
                "type": "string",
                "enum": ["Production", "Sandbox", "all"],
                "default": "Production"
              }
            },
            "bundleId": {
              "name": "bundleId",
              "in": "query",
              "schema": {"$ref": "#/components/schemas/Text"},
              "description": "Only purchases of this app."
            },
            "at": {
              "name": "at",
              "in": "query",
              "schema": {
                "anyOf": [
                  {"type": "string", "format": "date-time"},
                  {"type": "integer", "format": "int64", "minimum": -62167219200000, "maximum": 253402300799999}
                ]
              },
              "description": "A moment, RFC 3339 or milliseconds since 1970. Absent: now. A + is no space."
            },
            "If-None-Match": {
              "name": "If-None-Match",
              "in": "header",
              "schema": {"type": "string"}
            }
          },
          "responses": {
            "NotModified": {
              "description": "As the If-None-Match of the request names it.",
              "headers": {
                "ETag": {
                  "schema": {"type": "string"},
                  "required": true
                }
              }
            },
            "BadRequest": {
              "description": "A parameter or member is missing, unknown or malformed.",
              "content": {
                "application/json": {
                  "schema": {
                    "$ref": "#/components/schemas/Problem"
                  }
                }
              }
            },
            "Unauthorized": {
              "description": "No key, or one that is not listed. Never where no http.keys.file is set.",
              "headers": {
                "WWW-Authenticate": {
                  "schema": {"type": "string"},
                  "required": true
                }
              }
            },
            "TooLarge": {
              "description": "The body is too large, or there is one where none belongs."
            },
            "TooManyPurchases": {
              "description": "The answer would have more than 10,000 purchases.",
              "content": {
                "application/json": {
                  "schema": {
                    "$ref": "#/components/schemas/Problem"
                  }
                }
              }
            },
            "Unavailable": {
              "description": "The state is not read yet, or the database or Kafka is not available: ask again.",
              "content": {
                "application/json": {
                  "schema": {
                    "$ref": "#/components/schemas/Problem"
                  }
                }
              }
            },
            "Forbidden": {
              "description": "The key may only read, or the installation does not take this.",
              "content": {
                "application/json": {
                  "schema": {
                    "$ref": "#/components/schemas/Problem"
                  }
                }
              }
            },
            "NotFound": {
              "description": "Nothing is known of the purchase.",
              "content": {
                "application/json": {
                  "schema": {
                    "$ref": "#/components/schemas/Problem"
                  }
                }
              }
            },
            "Conflict": {
              "description": "The purchase belongs to another account, and transfer or its proof is missing.",
              "content": {
                "application/json": {
                  "schema": {
                    "$ref": "#/components/schemas/Problem"
                  }
                }
              }
            }
          }
        """#
}
