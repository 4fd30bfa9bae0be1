package rule

import (
	"iter"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// A Bucket is a zone that counts by the client's address.
type Bucket struct {
	Zone string
	Key  source.Span // the words that hold the key, or the directive's head
	Item config.Item // the zone's directive
}

// ByAddress yields each zone that counts by address with each place where one of its limits can judge a request, limit_req
// before limit_conn, in the order of the configuration.
func (f *Facts) ByAddress() iter.Seq2[*Bucket, Place] {
	return func(yield func(*Bucket, Place) bool) {
		if !eachBucket(f.LimitReqs(), f.reqBucket(), yield) {
			return
		}
		eachBucket(f.LimitConns(), f.connBucket(), yield)
	}
}

func eachBucket[L any](lists []List[L], bucket func(L) *Bucket, yield func(*Bucket, Place) bool) bool {
	for _, list := range lists {
		for _, limit := range list.Limits {
			b := bucket(limit)
			if b == nil {
				continue
			}
			for _, place := range list.Places {
				if place.Judges() && !yield(b, place) {
					return false
				}
			}
		}
	}
	return true
}

// bucketAt returns a function that gives the first bucket in which a place can count, nil where there is none.
func (f *Facts) bucketAt() func(Place) *Bucket {
	req, conn := f.reqBucket(), f.connBucket()
	return func(p Place) *Bucket {
		if !p.Judges() {
			return nil
		}
		for _, l := range p.Settings.LimitReqs.Value {
			if b := req(l); b != nil {
				return b
			}
		}
		for _, l := range p.Settings.LimitConns.Value {
			if b := conn(l); b != nil {
				return b
			}
		}
		return nil
	}
}

// reqBucket returns a function that gives the bucket of a limit's zone, nil where it does not count by address.
func (f *Facts) reqBucket() func(*config.LimitReq) *Bucket {
	known := make(map[*config.Zone]*Bucket)
	return func(l *config.LimitReq) *Bucket {
		z := l.Zone
		if z == nil {
			return nil
		}
		b, ok := known[z]
		if !ok {
			if f.Key(z.Key).PerAddress {
				b = &Bucket{Zone: z.Name, Key: z.KeySpan, Item: config.Item{Directive: z.Directive, Via: z.Via}}
			}
			known[z] = b
		}
		return b
	}
}

func (f *Facts) connBucket() func(*config.LimitConn) *Bucket {
	known := make(map[*config.ConnZone]*Bucket)
	return func(l *config.LimitConn) *Bucket {
		z := l.Zone
		if z == nil {
			return nil
		}
		b, ok := known[z]
		if !ok {
			if f.Key(z.Key).PerAddress {
				b = &Bucket{Zone: z.Name, Key: z.Span, Item: config.Item{Directive: z.Directive, Via: z.Via}}
			}
			known[z] = b
		}
		return b
	}
}
