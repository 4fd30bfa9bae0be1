package replay

// mostOwn is how many classes have plans that they share with no other, in each of two generations. A plan is large beside
// its class, and of classes there are more than are used again: clients and keys remember them.
const mostOwn = 1 << 13

// ownPlans are the classes with plans of their own. When the younger generation is full, those of the older one lose their
// plans, which are made again should they be needed: what is decided does not depend on it.
type ownPlans struct{ young, old []*class }

// add takes a class that just got its plan.
func (o *ownPlans) add(c *class) {
	if len(o.young) == mostOwn {
		for _, c := range o.old {
			c.plan, c.planned = nil, false
		}
		o.young, o.old = o.old[:0], o.young
	}
	o.young = append(o.young, c)
}
