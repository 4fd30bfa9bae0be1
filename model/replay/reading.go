package replay

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

// ahead is how many blocks of a log are read before they are needed.
const ahead = 3

// A job is a block that is being read. ready tells that batch is there.
type job struct {
	block  accesslog.Block
	source *Source
	batch  accesslog.Batch
	marks  []mark // of its records
	err    error  // that ended the log; then there is no block
	ready  chan struct{}
}

// A pool reads blocks in several goroutines. Which of them reads a block changes nothing.
type pool struct {
	needs *needs
	jobs  chan *job
	stop  chan struct{} // closed: nobody wants any more
	spare sync.Pool
	shelf accesslog.Shelf
	wait  sync.WaitGroup
	read  atomic.Int64 // bytes of text so far
}

func newPool(workers int, n *needs) *pool {
	p := &pool{needs: n, jobs: make(chan *job, 2*workers), stop: make(chan struct{})}
	p.spare.New = func() any { return &job{ready: make(chan struct{}, 1)} }
	for range max(workers, 1) {
		p.wait.Go(p.work)
	}
	return p
}

func (p *pool) work() {
	parsers := map[*accesslog.Reader]*accesslog.Parser{}
	for {
		select {
		case <-p.stop:
			return
		case j := <-p.jobs:
			parser := parsers[j.source.Reader]
			if parser == nil {
				parser = j.source.Reader.Parser()
				parsers[j.source.Reader] = parser
			}
			parser.Parse(j.block, &j.batch)
			j.marks = p.needs.marks(&j.batch, j.source.Server, j.marks)
			p.read.Add(int64(len(j.block.Text)))
			j.ready <- struct{}{}
		}
	}
}

// close ends the pool's goroutines. Those that read logs end with it.
func (p *pool) close() {
	close(p.stop)
	p.wait.Wait()
}

// stream cuts a log into blocks and has them read; the jobs come in the order of the blocks.
func (p *pool) stream(s *Source) <-chan *job {
	out := make(chan *job, ahead)
	p.wait.Go(func() {
		defer close(out)
		if err := p.cut(s, out); err != nil {
			j := p.job(s, accesslog.Block{})
			j.err = err
			select {
			case out <- j:
			case <-p.stop:
			}
		}
	})
	return out
}

func (p *pool) job(s *Source, b accesslog.Block) *job {
	j := p.spare.Get().(*job)
	j.block, j.source, j.err = b, s, nil
	return j
}

func (p *pool) cut(s *Source, out chan<- *job) error {
	text, done, err := s.Open()
	if err != nil {
		return err
	}
	defer done()
	for block, err := range p.shelf.Blocks(text) {
		if err != nil {
			return fmt.Errorf("read on: %w", err)
		}
		j := p.job(s, block)
		for _, to := range [...]chan<- *job{out, p.jobs} {
			select {
			case to <- j:
			case <-p.stop:
				return nil
			}
		}
	}
	return nil
}

// done gives a job back when its records are needed no more. Whatever was kept of them is a copy.
func (p *pool) done(j *job) {
	p.shelf.Done(j.block)
	j.block = accesslog.Block{}
	p.spare.Put(j)
}
