{{- /* The security and placement of a Pod: {root, name}. */ -}}
{{- define "sluice.podBasics" -}}
{{- $own := index .root.Values .name -}}
serviceAccountName: {{ include "sluice.serviceAccount" .root }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- toYaml .root.Values.podSecurityContext | nindent 2 }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with merge (dict) (default (dict) $own.nodeSelector) .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with default .root.Values.tolerations $own.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with default .root.Values.affinity $own.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* The Pod of an executable: {root, name}. */ -}}
{{- define "sluice.pod" -}}
{{- $root := .root -}}
{{- $own := index .root.Values .name -}}
{{- $facts := index (include "sluice.executables" .root | fromYaml) .name -}}
{{- $configMap := printf "%s-%s" (include "sluice.fullname" .root) .name -}}
{{- $volumes := dict "root" .root "name" .name "configMap" $configMap -}}
metadata:
  labels:
    {{- include "sluice.selector" . | nindent 4 }}
    {{- with merge (dict) $own.podLabels .root.Values.podLabels .root.Values.commonLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    checksum/config: {{ include "sluice.configData" . | sha256sum }}
    {{- with merge (dict) $own.podAnnotations .root.Values.podAnnotations .root.Values.commonAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- include "sluice.podBasics" . | nindent 2 }}
  terminationGracePeriodSeconds: {{ $own.terminationGracePeriodSeconds }}
  {{- if .root.Values.topologySpread.enabled }}
  topologySpreadConstraints:
    {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: {{ $root.Values.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "sluice.selector" $volumes | nindent 10 }}
    {{- end }}
  {{- end }}
  containers:
    - name: {{ $facts.executable }}
      image: {{ include "sluice.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command: [/usr/bin/{{ $facts.executable }}]
      args: [--config, /etc/sluice/sluice.properties]
      {{- if or $facts.static $own.extraEnv }}
      env:
        {{- if $facts.static }}
        - name: SLUICE_{{ upper $facts.group }}_GROUP_INSTANCE_ID
          valueFrom: {fieldRef: {fieldPath: metadata.name}}
        {{- end }}
        {{- with $own.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
      ports:
        {{- if $facts.http }}
        - {name: http, containerPort: {{ $facts.http }}, protocol: TCP}
        {{- end }}
        - {name: admin, containerPort: {{ $facts.admin }}, protocol: TCP}
      startupProbe:
        httpGet: {path: /livez, port: admin}
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: {path: /livez, port: admin}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: {path: /readyz, port: admin}
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      resources:
        {{- toYaml $own.resources | nindent 8 }}
      securityContext:
        {{- toYaml .root.Values.securityContext | nindent 8 }}
      volumeMounts:
        {{- include "sluice.configMounts" $volumes | nindent 8 }}
        {{- if or $facts.state $facts.group }}
        - name: data
          mountPath: /var/lib/sluice
        {{- end }}
        {{- if eq .name "archive" }}
        - name: keys
          mountPath: /var/lib/sluice-keys
        {{- end }}
        {{- with $own.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    {{- include "sluice.configVolumes" $volumes | nindent 4 }}
    {{- if not (include "sluice.isPersistent" .) }}
    {{- if or $facts.state $facts.group }}
    - name: data
      {{- if dig "persistence" "emptyDirSizeLimit" "" $own }}
      emptyDir: {sizeLimit: {{ $own.persistence.emptyDirSizeLimit }}}
      {{- else }}
      emptyDir: {}
      {{- end }}
    {{- end }}
    {{- end }}
    {{- with $own.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- /* Whether /var/lib/sluice is a volume that outlives its Pod. */ -}}
{{- define "sluice.isPersistent" -}}
{{- if dig "persistence" "enabled" false (index .root.Values .name) -}}true{{- end -}}
{{- end -}}

{{- /* The number of partitions of the keyed topics. */ -}}
{{- define "sluice.partitions" -}}
{{- index .Values.config "topics.partitions" | default 12 | int -}}
{{- end -}}

{{- /* A claim for a volume: {root, name, volume, claim}. */ -}}
{{- define "sluice.claim" -}}
- metadata:
    name: {{ .volume }}
    labels:
      {{- include "sluice.selector" . | nindent 6 }}
  spec:
    accessModes: {{ toJson .claim.accessModes }}
    {{- with .claim.storageClass }}
    storageClassName: {{ . }}
    {{- end }}
    resources:
      requests: {storage: {{ .claim.size }}}
{{- end -}}
