// Package probing would judge the objects of a ClusterObjectSet.
package probing

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type (
	Prober any
	And    []Prober
)

type ConditionProbe struct {
	Type   string
	Status string
}

type FieldsEqualProbe struct {
	FieldA string
	FieldB string
}

type FieldValueProbe struct {
	FieldPath string
	Value     string
}

type GroupKindSelector struct {
	Prober
	schema.GroupKind
}

type LabelSelector struct {
	Prober
	labels.Selector
}

type ObservedGenerationProbe struct{ Prober }
