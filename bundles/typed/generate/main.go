// Writes the body of ../kubernetes-types.ts: the fields of the Kubernetes types that bundles are read as, in the
// notation of ../types.ts. For a newer Kubernetes: change go.mod, then `go run . > ../kubernetes-types.ts`.
package main

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	crdv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

const header = `/**
 * The fields of the Kubernetes types (1.36) that a bundle's CSV and CRDs are read as, in the order of their Go
 * structs. Notation: types.ts. Written by generate/main.go; not edited by hand.
 */
`

// Types that JSON does not show as they are in Go.
var special = map[string]string{
	"resource.Quantity":               "quantity",
	"intstr.IntOrString":              "intstr",
	"v1.Time":                         "time",
	"v1.MicroTime":                    "time",
	"v1.JSON":                         "json",
	"v1.FieldsV1":                     "json",
	"v1.JSONSchemaPropsOrBool":        "schemaOrBool",
	"v1.JSONSchemaPropsOrArray":       "schemaOrArray",
	"v1.JSONSchemaPropsOrStringArray": "schemaOrStrings",
}

var basic = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "bool", reflect.Int32: "int", reflect.Int64: "int",
	reflect.Float64: "float", reflect.Interface: "json",
}

var lines = map[string]string{}

func main() {
	visit(reflect.TypeFor[appsv1.Deployment]())
	visit(reflect.TypeFor[rbacv1.PolicyRule]())
	visit(reflect.TypeFor[admissionv1.RuleWithOperations]())
	visit(reflect.TypeFor[crdv1.CustomResourceDefinition]())
	names := make([]string, 0, len(lines))
	for name := range lines {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Print(header, "export const KUBERNETES_TYPES = String.raw`\n")
	for _, name := range names {
		fmt.Println(strings.TrimSpace(name + ": " + lines[name]))
	}
	fmt.Println("`;")
}

func visit(t reflect.Type) {
	if _, seen := lines[t.Name()]; seen {
		return
	}
	lines[t.Name()] = ""
	lines[t.Name()] = strings.Join(fields(t), "; ")
}

func fields(t reflect.Type) []string {
	var found []string
	for i := range t.NumField() {
		field := t.Field(i)
		tag := strings.Split(field.Tag.Get("json"), ",")
		options := strings.Join(tag[1:], ",")
		if strings.Contains(options, "inline") || (field.Anonymous && tag[0] == "") {
			found = append(found, fields(field.Type)...)
			continue
		}
		if tag[0] == "-" || tag[0] == "status" && strings.HasSuffix(field.Type.Name(), "Status") {
			continue
		}
		found = append(found, tag[0]+mark(options)+" "+notation(field.Type))
	}
	return found
}

func mark(options string) string {
	switch {
	case strings.Contains(options, "omitzero"):
		return "?z"
	case strings.Contains(options, "omitempty"):
		return "?"
	}
	return ""
}

func notation(t reflect.Type) string {
	if name, ok := special[t.String()]; ok {
		return name
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + notation(t.Elem())
	case reflect.Map:
		return "{}" + notation(t.Elem())
	case reflect.Struct:
		visit(t)
		return t.Name()
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + notation(t.Elem())
	}
	return basic[t.Kind()]
}
