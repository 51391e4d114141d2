package managedcache

import (
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

// listener hands the events of one kind to every controller whose predicates let them through.
type listener struct{ cache *cache }

func (l listener) subscribers() []subscriber {
	l.cache.mutex.Lock()
	defer l.cache.mutex.Unlock()
	return append([]subscriber(nil), l.cache.subscribers...)
}

func (l listener) OnAdd(object any, isInitial bool) {
	added := event.CreateEvent{Object: object.(client.Object), IsInInitialList: isInitial}
	for _, one := range l.subscribers() {
		if one.passes(func(p filter) bool { return p.Create(added) }) {
			one.handler.Create(one.ctx, added, one.queue)
		}
	}
}

func (l listener) OnUpdate(before, after any) {
	changed := event.UpdateEvent{ObjectOld: before.(client.Object), ObjectNew: after.(client.Object)}
	for _, one := range l.subscribers() {
		if one.passes(func(p filter) bool { return p.Update(changed) }) {
			one.handler.Update(one.ctx, changed, one.queue)
		}
	}
}

func (l listener) OnDelete(object any) {
	if stale, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		object = stale.Obj
	}
	deleted := event.DeleteEvent{Object: object.(client.Object)}
	for _, one := range l.subscribers() {
		if one.passes(func(p filter) bool { return p.Delete(deleted) }) {
			one.handler.Delete(one.ctx, deleted, one.queue)
		}
	}
}

type filter interface {
	Create(event.CreateEvent) bool
	Update(event.UpdateEvent) bool
	Delete(event.DeleteEvent) bool
}

func (s subscriber) passes(ask func(filter) bool) bool {
	for _, one := range s.predicates {
		if !ask(one) {
			return false
		}
	}
	return true
}
