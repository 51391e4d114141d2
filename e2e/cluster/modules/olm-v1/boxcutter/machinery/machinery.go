// Package machinery would roll ClusterObjectSets out. Every call is an error.
package machinery

import (
	"context"
	"errors"

	"pkg.package-operator.run/boxcutter/machinery/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var errNotBuilt = errors.New("this build of OLM v1 has no ClusterObjectSets")

type Action string

const ActionCollision Action = "Collision"

type ObjectResult interface {
	Action() Action
	Object() client.Object
	ProbeResults() map[string]types.ProbeResult
	String() string
}

type PhaseResult interface {
	GetValidationError() error
	GetObjects() []ObjectResult
	IsComplete() bool
}

type RevisionResult interface {
	GetValidationError() error
	GetPhases() []PhaseResult
	InTransition() bool
	IsComplete() bool
	String() string
}

type RevisionTeardownResult interface {
	IsComplete() bool
}

type RevisionEngine struct{}

func (*RevisionEngine) Reconcile(context.Context, types.Revision, ...types.RevisionReconcileOption) (RevisionResult, error) {
	return nil, errNotBuilt
}

func (*RevisionEngine) Teardown(context.Context, types.Revision, ...types.RevisionTeardownOption) (RevisionTeardownResult, error) {
	return nil, errNotBuilt
}

func NewRevisionEngine(...any) *RevisionEngine { return &RevisionEngine{} }

func NewPhaseEngine(...any) any { return nil }

func NewObjectEngine(...any) any { return nil }

func NewComparator(...any) any { return nil }
