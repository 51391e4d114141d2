{{- define "slipway.labels" -}}
app.kubernetes.io/name: slipway
app.kubernetes.io/component: manager
{{- end }}

{{- define "slipway.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}
