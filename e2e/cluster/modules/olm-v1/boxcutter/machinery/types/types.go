// Package types has the parts of a ClusterObjectSet that OLM v1 names in its signatures.
package types

import "sigs.k8s.io/controller-runtime/pkg/client"

type (
	RevisionReconcileOption any
	RevisionTeardownOption  any
	ProbeStatus             string
)

const ProbeStatusTrue ProbeStatus = "True"

type ProbeResult struct {
	Status   ProbeStatus
	Messages []string
}

type Phase interface {
	GetObjects() []client.Object
}

type Revision interface {
	GetPhases() []Phase
}

type phase struct{ objects []client.Object }

func (p phase) GetObjects() []client.Object { return p.objects }

func NewPhase(_ string, objects []client.Object) Phase { return phase{objects} }

type revision struct{ phases []Phase }

func (r revision) GetPhases() []Phase { return r.phases }

func NewRevision(_ string, _ int64, phases []Phase) Revision { return revision{phases} }
