//go:build !race

package cloudflare

const underRace = false
