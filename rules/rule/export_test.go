package rule

import "github.com/ngxlimit/ngxlimit/analyzer/value"

// Estimate estimates what the page suffers at a place, simulated or not.
func Estimate(f *Facts, p Place) Suffered { return f.pages().fans[0].rough.at(f, p) }

// HeldBy shows held to the package's tests.
func HeldBy(z *Zone, by func(value.Template) bool) bool { return z.held(by) }
