{{- /*
The executables of the chart. kind: the kind of the workload. http: the port of the listener. group: the prefix of the
settings of the consumer group. static: whether each Pod is a static member under its own name. input: the topics that
a consumer reads, without the prefix. state: whether /var/lib/sluice can be a volume of its own. role: state.role.
*/ -}}
{{- define "sluice.executables" -}}
ingress: {executable: sluice-ingress, kind: Deployment, admin: 9464, http: 8080}
entitlements: {executable: sluice-entitlements, kind: StatefulSet, admin: 9465, http: 8081, group: entitlements, static: true, state: true, input: [notifications.production, notifications.sandbox]}
reader: {executable: sluice-entitlements, kind: StatefulSet, admin: 9465, http: 8081, state: true, role: reader}
refunds: {executable: sluice-refunds, kind: StatefulSet, admin: 9466, group: refunds, static: true, state: true, input: [notifications.production, notifications.sandbox]}
archive: {executable: sluice-archive, kind: StatefulSet, admin: 9467, group: archive, static: true, state: true}
webhooks: {executable: sluice-webhooks, kind: Deployment, admin: 9468, group: webhooks, input: [entitlements.production]}
reconciler: {executable: sluice-reconciler, kind: StatefulSet, admin: 9469, group: reconciler, static: true, state: true, input: [notifications.production, notifications.sandbox]}
{{- end -}}

{{- /*
The settings of an executable, as JSON: those of all, its own, those that the chart decides: {root, name}.
*/ -}}
{{- define "sluice.settings" -}}
{{- $own := index .root.Values .name -}}
{{- $facts := index (include "sluice.executables" .root | fromYaml) .name -}}
{{- $settings := dict -}}
{{- range $key, $value := merge (dict) $own.config .root.Values.config -}}
{{- $_ := set $settings $key (include "sluice.text" $value) -}}
{{- end -}}
{{- $_ := set $settings "admin.host" "0.0.0.0" -}}
{{- $_ := set $settings "admin.port" (toString $facts.admin) -}}
{{- if $facts.http -}}
{{- $_ := set $settings "http.host" "0.0.0.0" -}}
{{- $_ := set $settings "http.port" (toString $facts.http) -}}
{{- end -}}
{{- if $facts.kind | eq "StatefulSet" | or (eq .name "webhooks") -}}
{{- $_ := set $settings "data.dir" "/var/lib/sluice" -}}
{{- end -}}
{{- with default $own.role $facts.role -}}
{{- $_ := set $settings "state.role" . -}}
{{- end -}}
{{- if eq .name "archive" -}}
{{- $_ := set $settings "archive.key.store" "/var/lib/sluice-keys/keys.sqlite" -}}
{{- if not (hasKey $settings "archive.url") -}}
{{- $_ := set $settings "archive.url" "/var/lib/sluice/archive" -}}
{{- end -}}
{{- end -}}
{{- if .root.Values.strimzi.users.enabled -}}
{{- $settings = merge (include "sluice.strimziSettings" . | fromYaml) $settings -}}
{{- end -}}
{{- range $setting, $file := include "sluice.secretFiles" . | fromYaml -}}
{{- $_ := set $settings $setting (printf "/run/secrets/sluice/%s/%s" $setting $file.key) -}}
{{- end -}}
{{- range $setting, $file := include "sluice.configFiles" . | fromYaml -}}
{{- $_ := set $settings $setting (printf "/etc/sluice/%s" $setting) -}}
{{- end -}}
{{- toJson $settings -}}
{{- end -}}

{{- /* The settings that sluice-webhooks needs, as JSON, from its settings: a URL and a secret for each receiver. */ -}}
{{- define "sluice.receiverSettings" -}}
{{- $settings := . -}}
{{- $needed := list -}}
{{- range splitList "," (get . "webhooks.receivers") -}}
{{- with trim . -}}
{{- $needed = append $needed (printf "webhooks.receivers.%s.url" .) -}}
{{- if not (hasKey $settings "webhooks.secret.file") -}}
{{- $needed = append $needed (printf "webhooks.receivers.%s.secret.file" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson (default (list "webhooks.url" "webhooks.secret.file") $needed) -}}
{{- end -}}

{{- /* The value of a setting as text: numbers without an exponent. */ -}}
{{- define "sluice.text" -}}
{{- if kindIs "string" . -}}{{ . }}{{- else -}}{{ toJson . }}{{- end -}}
{{- end -}}

{{- define "sluice.secretFiles" -}}
{{- $own := index .root.Values .name -}}
{{- $files := merge (dict) $own.secretFiles .root.Values.secretFiles -}}
{{- if and .root.Values.strimzi.users.enabled (ne .name "topics") -}}
{{- $files = merge (dict) $files (include "sluice.strimziSecretFiles" . | fromYaml) -}}
{{- end -}}
{{- toYaml $files -}}
{{- end -}}

{{- define "sluice.configFiles" -}}
{{- $own := index .root.Values .name -}}
{{- merge (dict) (default (dict) $own.configFiles) .root.Values.configFiles | toYaml -}}
{{- end -}}

{{- /* The file sluice.properties with settings from JSON. */ -}}
{{- define "sluice.properties" -}}
{{- $lines := list -}}
{{- range $key, $value := fromJson . -}}
{{- $lines = append $lines (printf "%s=%s" $key (replace "\\" "\\\\" $value)) -}}
{{- end -}}
{{- join "\n" $lines -}}
{{- end -}}

{{- /* The data of an executable's ConfigMap: {root, name}. */ -}}
{{- define "sluice.configData" -}}
sluice.properties: |
  {{- include "sluice.properties" (include "sluice.settings" .) | nindent 2 }}
{{- range $setting, $file := include "sluice.configFiles" . | fromYaml }}
{{- if hasKey $file "content" }}
{{ $setting }}: {{ $file.content | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* The volumes of the configuration and of the secrets, as a list: {root, name, configMap}. */ -}}
{{- define "sluice.configVolumes" -}}
- name: config
  projected:
    sources:
      - configMap:
          name: {{ .configMap }}
      {{- range $setting, $file := include "sluice.configFiles" . | fromYaml }}
      {{- if hasKey $file "configMap" }}
      - configMap:
          name: {{ $file.configMap }}
          items:
            - key: {{ $file.key | quote }}
              path: {{ $setting }}
      {{- end }}
      {{- end }}
{{- with include "sluice.secretFiles" . | fromYaml }}
- name: secrets
  projected:
    defaultMode: 0400
    sources:
      {{- range $setting, $file := . }}
      - secret:
          name: {{ $file.secret }}
          items:
            - key: {{ $file.key | quote }}
              path: {{ printf "%s/%s" $setting $file.key | quote }}
      {{- end }}
{{- end }}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- end -}}

{{- define "sluice.configMounts" -}}
- name: config
  mountPath: /etc/sluice
  readOnly: true
{{- if include "sluice.secretFiles" . | fromYaml }}
- name: secrets
  mountPath: /run/secrets/sluice
  readOnly: true
{{- end }}
- name: tmp
  mountPath: /tmp
{{- end -}}
