// Package clock knows nginx's time: milliseconds, whole numbers, and how a sentence says them. Nothing in the model reads a clock;
// time comes with each request.
package clock

// Msec is a time or a duration in milliseconds, as ngx_msec_int_t on 64-bit systems. A time counts from the start of
// the host, as nginx's monotonic clock does.
type Msec int64

// Up is the time at which a run begins where nobody says how long the host has been up: thirty days. Any value far
// above a minute gives the same decisions; a host up for less than a minute charges the first request of a key in a
// zone that is not the last one asked (see limitreq.Decide).
const Up Msec = 30 * 24 * 60 * 60 * 1000
