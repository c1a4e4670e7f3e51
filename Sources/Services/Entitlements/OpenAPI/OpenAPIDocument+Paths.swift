extension OpenAPIDocument {
    /// The requests by path, and their responses by status.
    static let paths = #"""
        {
          "/v1/entitlements": {
            "get": {
              "operationId": "getEntitlements",
              "summary": "Entitlements of an account or a purchase, now or at a given moment.",
              "parameters": [
                {"$ref": "#/components/parameters/appAccountToken"},
                {"$ref": "#/components/parameters/originalTransactionId"},
                {"$ref": "#/components/parameters/appTransactionId"},
                {"$ref": "#/components/parameters/transactionId"},
                {"$ref": "#/components/parameters/environment"},
                {"$ref": "#/components/parameters/bundleId"},
                {"$ref": "#/components/parameters/at"},
                {"$ref": "#/components/parameters/If-None-Match"}
              ],
              "responses": {
                "200": {
                  "description": "The answer; empty if the subject is unknown.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Entitlements"
                      }
                    }
                  },
                  "headers": {
                    "ETag": {
                      "schema": {
                        "type": "string"
                      },
                      "required": true
                    }
                  }
                },
                "304": {
                  "$ref": "#/components/responses/NotModified"
                },
                "400": {"$ref": "#/components/responses/BadRequest"},
                "401": {
                  "$ref": "#/components/responses/Unauthorized"
                },
                "413": {"$ref": "#/components/responses/TooLarge"},
                "422": {
                  "$ref": "#/components/responses/TooManyPurchases"
                },
                "503": {
                  "$ref": "#/components/responses/Unavailable"
                }
              }
            }
          },
          "/v1/entitlements/query": {
            "post": {
              "operationId": "queryEntitlements",
              "summary": "Entitlements of up to 100 subjects, from one snapshot of the database.",
              "requestBody": {
                "required": true,
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {
                        "subjects": {
                          "type": "array",
                          "items": {
                            "$ref": "#/components/schemas/Subject"
                          },
                          "minItems": 1,
                          "maxItems": 100
                        },
                        "environment": {
                          "type": "string",
                          "enum": [
                            "Production",
                            "Sandbox",
                            "all"
                          ],
                          "default": "Production"
                        },
                        "bundleId": {
                          "$ref": "#/components/schemas/Text"
                        },
                        "at": {
                          "anyOf": [
                            {"type": "string", "format": "date-time"},
                            {
                              "type": "integer",
                              "format": "int64",
                              "minimum": -62167219200000,
                              "maximum": 253402300799999
                            }
                          ]
                        }
                      },
                      "required": [
                        "subjects"
                      ],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "responses": {
                "200": {
                  "description": "One answer per subject, in the order of the request.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "type": "object",
                        "properties": {
                          "answers": {
                            "type": "array",
                            "items": {
                              "$ref": "#/components/schemas/Entitlements"
                            }
                          }
                        },
                        "required": [
                          "answers"
                        ]
                      }
                    }
                  }
                },
                "400": {
                  "$ref": "#/components/responses/BadRequest"
                },
                "401": {
                  "$ref": "#/components/responses/Unauthorized"
                },
                "413": {
                  "$ref": "#/components/responses/TooLarge"
                },
                "422": {
                  "$ref": "#/components/responses/TooManyPurchases"
                },
                "503": {
                  "$ref": "#/components/responses/Unavailable"
                }
              }
            }
          },
          "/v1/history": {
            "get": {
              "operationId": "getHistory",
              "summary": "State changes of the purchases of an account, and the last 12 notifications of each.",
              "parameters": [
                {"$ref": "#/components/parameters/appAccountToken"},
                {"$ref": "#/components/parameters/originalTransactionId"},
                {"$ref": "#/components/parameters/appTransactionId"},
                {"$ref": "#/components/parameters/transactionId"},
                {"$ref": "#/components/parameters/environment"},
                {"$ref": "#/components/parameters/bundleId"},
                {"$ref": "#/components/parameters/If-None-Match"}
              ],
              "responses": {
                "200": {
                  "description": "The history; empty if the subject is unknown.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/History"
                      }
                    }
                  },
                  "headers": {
                    "ETag": {
                      "schema": {
                        "type": "string"
                      },
                      "required": true
                    }
                  }
                },
                "304": {"$ref": "#/components/responses/NotModified"},
                "400": {"$ref": "#/components/responses/BadRequest"},
                "401": {"$ref": "#/components/responses/Unauthorized"},
                "413": {"$ref": "#/components/responses/TooLarge"},
                "422": {
                  "$ref": "#/components/responses/TooManyPurchases"
                },
                "503": {"$ref": "#/components/responses/Unavailable"}
              }
            }
          },
          "/v1/purchases": {
            "get": {
              "operationId": "listPurchases",
              "summary": "Purchases of one environment, paginated and sorted by key.",
              "parameters": [
                {
                  "name": "environment",
                  "in": "query",
                  "schema": {"type": "string", "enum": ["Production", "Sandbox"], "default": "Production"}
                },
                {
                  "name": "unclaimed",
                  "in": "query",
                  "schema": {"type": "boolean", "default": false},
                  "description": "Only purchases that belong to no account."
                },
                {
                  "name": "after",
                  "in": "query",
                  "schema": {"$ref": "#/components/schemas/Text"},
                  "description": "Only purchases after this key: `next` of the previous page."
                },
                {
                  "name": "limit",
                  "in": "query",
                  "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
                }
              ],
              "responses": {
                "200": {
                  "description": "A page.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Purchases"
                      }
                    }
                  }
                },
                "400": {"$ref": "#/components/responses/BadRequest"},
                "401": {"$ref": "#/components/responses/Unauthorized"},
                "413": {"$ref": "#/components/responses/TooLarge"},
                "503": {"$ref": "#/components/responses/Unavailable"}
              }
            }
          },
          "/v1/story": {
            "get": {
              "operationId": "getStory",
              "summary": "What happened to the purchases of an identifier, read from Kafka.",
              "description": "Requires a key with the permission story or full, and entitlements.stories. Personal \#
        data is masked. Stories are read one at a time. sluicectl explain also knows other identifiers, the archive \#
        and webhooks.",
              "parameters": [
                {
                  "name": "id",
                  "in": "query",
                  "required": true,
                  "schema": {"$ref": "#/components/schemas/Text"},
                  "description": "originalTransactionId, transactionId, appTransactionId, appAccountToken or record key."
                },
                {
                  "name": "environment",
                  "in": "query",
                  "schema": {"type": "string", "enum": ["Production", "Sandbox"], "default": "Production"}
                },
                {
                  "name": "from",
                  "in": "query",
                  "schema": {"type": "string", "format": "date-time"},
                  "description": "Only events at or after this time."
                },
                {
                  "name": "to",
                  "in": "query",
                  "schema": {"type": "string", "format": "date-time"},
                  "description": "Only events before this time."
                }
              ],
              "responses": {
                "200": {
                  "description": "The story.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Story"
                      }
                    }
                  }
                },
                "400": {"$ref": "#/components/responses/BadRequest"},
                "401": {"$ref": "#/components/responses/Unauthorized"},
                "403": {"$ref": "#/components/responses/Forbidden"},
                "404": {
                  "description": "No purchase has this identifier.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Problem"
                      }
                    }
                  }
                },
                "413": {"$ref": "#/components/responses/TooLarge"},
                "422": {"$ref": "#/components/responses/TooManyPurchases"},
                "503": {"$ref": "#/components/responses/Unavailable"}
              }
            }
          },
          "/v1/transactions": {
            "post": {
              "operationId": "addTransaction",
              "summary": "Accepts a transaction signed by Apple from an app, and returns the entitlements of its \#
        purchase.",
              "description": "Requires a full key, and apps in the configuration. The transaction is verified like a \#
        notification. A transaction that was signed with an expired certificate, or that belongs to an unknown \#
        purchase and was signed longer ago than entitlements.upload.age, is confirmed by Apple if an App Store Server \#
        API key is configured. An accepted transaction is in Kafka before the response is sent.",
              "requestBody": {
                "required": true,
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {
                        "signedTransactionInfo": {
                          "type": "string",
                          "minLength": 1,
                          "description": "Compact JWS: StoreKit's jwsRepresentation of the transaction."
                        },
                        "signedRenewalInfo": {
                          "type": "string",
                          "minLength": 1,
                          "description": "Compact JWS of the same purchase."
                        },
                        "environment": {
                          "type": "string",
                          "enum": ["Production", "Sandbox", "all"],
                          "default": "Production",
                          "description": "Environments for which the caller grants access."
                        },
                        "appAccountToken": {
                          "type": "string",
                          "format": "uuid",
                          "description": "The account that gets the purchase if it belongs to none. \#
        Requires entitlements.changes=true."
                        }
                      },
                      "required": [
                        "signedTransactionInfo"
                      ],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "responses": {
                "200": {
                  "description": "The entitlements of its purchase.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Entitlements"
                      }
                    }
                  }
                },
                "400": {
                  "$ref": "#/components/responses/BadRequest"
                },
                "401": {
                  "$ref": "#/components/responses/Unauthorized"
                },
                "403": {"$ref": "#/components/responses/Forbidden"},
                "409": {"$ref": "#/components/responses/Conflict"},
                "413": {"$ref": "#/components/responses/TooLarge"},
                "422": {
                  "description": "The transaction is not signed by Apple for a configured app (not_verified), not as \#
        documented (not_readable), of an environment that the app or the request excludes (other_environment), too \#
        old (too_old), signed with an expired certificate (certificate_expired), or unknown to Apple \#
        (not_confirmed).",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Problem"
                      }
                    }
                  }
                },
                "503": {
                  "$ref": "#/components/responses/Unavailable"
                }
              }
            }
          },
          "/v1/claims": {
            "post": {
              "operationId": "claimPurchase",
              "summary": "Assigns a purchase to an account.",
              "description": "Requires a full key and entitlements.changes=true. A claim may precede the first \#
        notification of the purchase. A purchase of another account is moved only if both transfer and \#
        signedTransactionInfo are present.",
              "requestBody": {
                "required": true,
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {
                        "environment": {
                          "$ref": "#/components/schemas/Environment"
                        },
                        "bundleId": {
                          "$ref": "#/components/schemas/Text"
                        },
                        "originalTransactionId": {
                          "$ref": "#/components/schemas/Text"
                        },
                        "appAccountToken": {
                          "type": "string",
                          "format": "uuid"
                        },
                        "transfer": {
                          "type": "boolean",
                          "default": false,
                          "description": "Whether the purchase is moved from its current account."
                        },
                        "signedTransactionInfo": {
                          "type": "string",
                          "minLength": 1,
                          "description": "Compact JWS of a transaction of the purchase: the proof of possession that \#
        a transfer requires."
                        }
                      },
                      "required": [
                        "bundleId",
                        "originalTransactionId",
                        "appAccountToken"
                      ],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "responses": {
                "200": {
                  "description": "The purchase belongs to the account.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Changed"
                      }
                    }
                  }
                },
                "400": {"$ref": "#/components/responses/BadRequest"},
                "401": {"$ref": "#/components/responses/Unauthorized"},
                "403": {"$ref": "#/components/responses/Forbidden"},
                "404": {"$ref": "#/components/responses/NotFound"},
                "409": {"$ref": "#/components/responses/Conflict"},
                "413": {"$ref": "#/components/responses/TooLarge"},
                "422": {
                  "description": "The signed transaction proves nothing: it is not signed by Apple, belongs to \#
        another purchase (not_verified), or was signed with an expired certificate (certificate_expired).",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Problem"
                      }
                    }
                  }
                },
                "503": {"$ref": "#/components/responses/Unavailable"}
              }
            }
          },
          "/v1/erasures": {
            "post": {
              "operationId": "erasePurchase",
              "summary": "Erases everything about a purchase, permanently.",
              "description": "Requires a full key and entitlements.changes=true.",
              "requestBody": {
                "required": true,
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {
                        "environment": {
                          "$ref": "#/components/schemas/Environment"
                        },
                        "bundleId": {
                          "$ref": "#/components/schemas/Text"
                        },
                        "originalTransactionId": {
                          "$ref": "#/components/schemas/Text"
                        }
                      },
                      "required": [
                        "bundleId",
                        "originalTransactionId"
                      ],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "responses": {
                "200": {
                  "description": "Everything is erased.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Changed"
                      }
                    }
                  }
                },
                "400": {"$ref": "#/components/responses/BadRequest"},
                "401": {"$ref": "#/components/responses/Unauthorized"},
                "403": {"$ref": "#/components/responses/Forbidden"},
                "404": {"$ref": "#/components/responses/NotFound"},
                "413": {"$ref": "#/components/responses/TooLarge"},
                "503": {"$ref": "#/components/responses/Unavailable"}
              }
            }
          },
          "/v1/openapi.json": {
            "get": {
              "operationId": "getOpenAPI",
              "summary": "This document. Requires no key.",
              "security": [],
              "parameters": [{"$ref": "#/components/parameters/If-None-Match"}],
              "responses": {
                "200": {
                  "description": "OpenAPI 3.1.",
                  "headers": {
                    "ETag": {
                      "schema": {
                        "type": "string"
                      },
                      "required": true
                    }
                  },
                  "content": {
                    "application/json": {
                      "schema": {
                        "type": "object"
                      }
                    }
                  }
                },
                "304": {
                  "$ref": "#/components/responses/NotModified"
                },
                "413": {
                  "description": "The request has a body, which is not allowed."
                }
              }
            }
          }
        }
        """#
}
