//go:build race

package cloudflare

// underRace says that the race detector is on: pools then drop what they hold, now and then.
const underRace = true
