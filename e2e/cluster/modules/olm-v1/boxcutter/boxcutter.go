// Package boxcutter stands in for the module of this path, which no proxy of modules offers. OLM v1 uses that module for
// two things: for ClusterObjectSets, an alpha feature that is off by default and that is an error here, and to watch the
// objects of its Helm releases, for which managedcache has own code.
package boxcutter

import (
	"pkg.package-operator.run/boxcutter/machinery/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const ProgressProbeType = "Progress"

type (
	Phase                   = types.Phase
	RevisionBuilder         = types.Revision
	RevisionReconcileOption = types.RevisionReconcileOption
	WithCollisionProtection string
)

func NewPhase(name string, objects []client.Object) Phase {
	return types.NewPhase(name, objects)
}

func NewRevisionWithOwner(name string, number int64, phases []Phase, _ client.Object, _ any) RevisionBuilder {
	return types.NewRevision(name, number, phases)
}

func WithSiblingOwners([]client.Object) RevisionReconcileOption { return nil }

func WithProbe(string, any) RevisionReconcileOption { return nil }

func WithAggregatePhaseReconcileErrors() RevisionReconcileOption { return nil }

func WithObjectReconcileOptions(client.Object, ...any) RevisionReconcileOption { return nil }
