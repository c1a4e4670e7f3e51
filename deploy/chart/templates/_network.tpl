{{- /* Egress to the brokers and to name servers. */ -}}
{{- define "sluice.kafkaEgress" -}}
- ports:
    {{- range .Values.networkPolicy.kafka.ports }}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
  {{- with .Values.networkPolicy.kafka.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- if .Values.networkPolicy.dns }}
- ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]
{{- end }}
{{- end -}}
