// Package managedcache watches the kinds of the objects that OLM v1 has installed, so that OLM v1 repairs each of them.
// A kind is watched in all namespaces, from the first user of it until the last one is freed.
package managedcache

import (
	"context"
	"errors"
	"maps"
	"sync"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

type TrackingCache interface {
	client.Reader
	Start(ctx context.Context) error
	Source(handler handler.EventHandler, predicates ...predicate.Predicate) source.Source
	Watch(ctx context.Context, user client.Object, gvks sets.Set[schema.GroupVersionKind]) error
	Free(ctx context.Context, user client.Object) error
}

type subscriber struct {
	ctx        context.Context
	queue      workqueue.TypedRateLimitingInterface[reconcile.Request]
	handler    handler.EventHandler
	predicates []predicate.Predicate
}

type cache struct {
	crcache.Cache
	mutex       sync.Mutex
	subscribers []subscriber
	users       map[types.UID]sets.Set[schema.GroupVersionKind]
}

func NewTrackingCache(_ logr.Logger, config *rest.Config, options crcache.Options) (TrackingCache, error) {
	inner, err := crcache.New(config, options)
	if err != nil {
		return nil, err
	}
	return &cache{Cache: inner, users: map[types.UID]sets.Set[schema.GroupVersionKind]{}}, nil
}

// Source is started by the controller once; the events of all kinds go to its queue.
func (c *cache) Source(handler handler.EventHandler, predicates ...predicate.Predicate) source.Source {
	return source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.subscribers = append(c.subscribers, subscriber{ctx, queue, handler, predicates})
		return nil
	})
}

func (c *cache) Watch(ctx context.Context, user client.Object, gvks sets.Set[schema.GroupVersionKind]) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	watched := c.watched()
	c.users[user.GetUID()] = gvks.Clone()
	for gvk := range gvks.Difference(watched) {
		informer, err := c.GetInformer(ctx, metadataOf(gvk), crcache.BlockUntilSynced(false))
		if err != nil {
			return err
		}
		if _, err := informer.AddEventHandler(listener{c}); err != nil {
			return err
		}
	}
	return c.stopUnused(ctx, watched)
}

func (c *cache) Free(ctx context.Context, user client.Object) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	watched := c.watched()
	delete(c.users, user.GetUID())
	return c.stopUnused(ctx, watched)
}

func (c *cache) stopUnused(ctx context.Context, before sets.Set[schema.GroupVersionKind]) error {
	var failed []error
	for gvk := range before.Difference(c.watched()) {
		failed = append(failed, c.RemoveInformer(ctx, metadataOf(gvk)))
	}
	return errors.Join(failed...)
}

func (c *cache) watched() sets.Set[schema.GroupVersionKind] {
	all := sets.New[schema.GroupVersionKind]()
	for gvks := range maps.Values(c.users) {
		all = all.Union(gvks)
	}
	return all
}

func metadataOf(gvk schema.GroupVersionKind) client.Object {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(gvk)
	return object
}
