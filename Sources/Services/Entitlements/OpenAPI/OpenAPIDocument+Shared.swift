extension OpenAPIDocument {
    /// The security schemes, parameters and error responses.
    static let shared = #"""
          "securitySchemes": {
            "key": {
              "type": "http",
              "scheme": "bearer",
              "description": "A key from http.keys.file. Not required if http.keys.file is not set."
            }
          },
          "parameters": {
            "appAccountToken": {
              "name": "appAccountToken",
              "in": "query",
              "schema": {"type": "string", "format": "uuid"},
              "description": "Specify exactly one of the four subjects."
            },
            "originalTransactionId": {
              "name": "originalTransactionId",
              "in": "query",
              "schema": {"$ref": "#/components/schemas/Text"},
              "description": "Specify exactly one of the four subjects."
            },
            "appTransactionId": {
              "name": "appTransactionId",
              "in": "query",
              "schema": {"$ref": "#/components/schemas/Text"},
              "description": "Specify exactly one of the four subjects."
            },
            "transactionId": {
              "name": "transactionId",
              "in": "query",
              "schema": {"$ref": "#/components/schemas/Text"},
              "description": "Specify exactly one of the four subjects."
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
              "description": "A moment: RFC 3339, or milliseconds since 1970. The default is now. A + is not a space."
            },
            "If-None-Match": {
              "name": "If-None-Match",
              "in": "header",
              "schema": {"type": "string"}
            }
          },
          "responses": {
            "NotModified": {
              "description": "The request's If-None-Match contains the entity tag of the answer.",
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
              "description": "The key is missing or not listed. Does not occur if http.keys.file is not set.",
              "headers": {
                "WWW-Authenticate": {
                  "schema": {"type": "string"},
                  "required": true
                }
              }
            },
            "TooLarge": {
              "description": "The body is too large, or no body is allowed."
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
              "description": "The state has not been read yet, or the database or Kafka is unavailable: retry.",
              "content": {
                "application/json": {
                  "schema": {
                    "$ref": "#/components/schemas/Problem"
                  }
                }
              }
            },
            "Forbidden": {
              "description": "The key permits read requests only, or the installation does not accept this request.",
              "content": {
                "application/json": {
                  "schema": {
                    "$ref": "#/components/schemas/Problem"
                  }
                }
              }
            },
            "NotFound": {
              "description": "The purchase is unknown.",
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
