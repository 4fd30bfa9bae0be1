package rule

import "github.com/ngxlimit/ngxlimit/analyzer/config"

// A Pass is one rule's view of one configuration. What several rules need is computed once, on first use, and shared.
type Pass struct {
	Tree   *config.Tree
	Report func(Finding)
}
