{{- /* The name of an executable's KafkaUser, of its Secret and of its principal: {root, name}. */ -}}
{{- define "sluice.user" -}}
{{ include "sluice.fullname" .root }}-{{ .name }}
{{- end -}}

{{- /* The settings with which an executable authenticates as a KafkaUser: {root, name}. */ -}}
{{- define "sluice.strimziSettings" -}}
{{- if eq .root.Values.strimzi.users.authentication "tls" -}}
kafka.security.protocol: SSL
{{- else -}}
kafka.security.protocol: SASL_SSL
kafka.sasl.mechanism: SCRAM-SHA-512
kafka.sasl.username: {{ include "sluice.user" . }}
{{- end -}}
{{- end -}}

{{- define "sluice.strimziSecretFiles" -}}
kafka.ssl.ca.location: {secret: {{ .root.Values.strimzi.cluster }}-cluster-ca-cert, key: ca.crt}
{{- if eq .root.Values.strimzi.users.authentication "tls" }}
kafka.ssl.certificate.location: {secret: {{ include "sluice.user" . }}, key: user.crt}
kafka.ssl.key.location: {secret: {{ include "sluice.user" . }}, key: user.key}
{{- else }}
kafka.sasl.password.file: {secret: {{ include "sluice.user" . }}, key: password}
{{- end }}
{{- end -}}

{{- /* A name in which the prefix of the installation replaces the default prefix: {root, text}. */ -}}
{{- define "sluice.prefixed" -}}
{{- $prefix := index .root.Values.config "topics.prefix" | default "appstore" -}}
{{- if hasPrefix "appstore." .text -}}
{{- printf "%s.%s" $prefix (trimPrefix "appstore." .text) -}}
{{- else -}}
{{- .text -}}
{{- end -}}
{{- end -}}
