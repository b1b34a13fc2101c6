package healthroute

import (
	"context"
	"sync"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/locate"
)

// rereadEvery is how often files that tell where clients are, or which targets there are, are looked at; tests are in a hurry.
var rereadEvery = 5 * time.Second

// rereader takes over changed files of places while a block runs. A nil one does nothing.
type rereader struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// startRereading looks after the locators until stop.
func startRereading(places map[*config.Stanza]*locate.Locator) *rereader {
	ctx, cancel := context.WithCancel(context.Background())
	r := &rereader{cancel: cancel}
	for _, l := range places {
		r.done.Go(func() { l.Run(ctx, rereadEvery, tellReread) })
	}
	return r
}

// stop ends it and waits for that.
func (r *rereader) stop() {
	if r == nil {
		return
	}
	r.cancel()
	r.done.Wait()
}

// tellReread logs and counts what came of changed files.
func tellReread(changed bool, err error) {
	if changed {
		log.Info("places of clients reread from changed files")
		placesReread.WithLabelValues("taken").Inc()
	}
	if err != nil {
		log.Errorf("a changed file of places is refused, what was read before it stays: %s", err)
		placesReread.WithLabelValues("refused").Inc()
	}
}
