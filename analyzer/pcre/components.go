package pcre

// components parts the nodes 0 to n-1 of a graph into sets within which each leads to each (Tarjan's algorithm, without
// recursion).
func components(n int, next func(int) []int) [][]int {
	var all [][]int
	order := make([]int, n) // in which nodes were met, from 1; 0 for not yet
	low := make([]int, n)
	open := make([]bool, n)
	var stack []int
	type visit struct {
		node int
		next []int
	}
	met := 0
	var visits []visit
	enter := func(i int) {
		met++
		order[i], low[i], open[i] = met, met, true
		stack = append(stack, i)
		visits = append(visits, visit{i, next(i)})
	}
	for root := range n {
		if order[root] > 0 {
			continue
		}
		enter(root)
		for len(visits) > 0 {
			v := &visits[len(visits)-1]
			if len(v.next) > 0 {
				to := v.next[0]
				v.next = v.next[1:]
				switch {
				case order[to] == 0:
					enter(to)
				case open[to]:
					low[v.node] = min(low[v.node], order[to])
				}
				continue
			}
			i := v.node
			visits = visits[:len(visits)-1]
			if len(visits) > 0 {
				outer := visits[len(visits)-1].node
				low[outer] = min(low[outer], low[i])
			}
			if low[i] != order[i] {
				continue
			}
			var c []int
			for {
				last := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				open[last] = false
				c = append(c, last)
				if last == i {
					break
				}
			}
			all = append(all, c)
		}
	}
	return all
}
