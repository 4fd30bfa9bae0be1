// Package clock knows nginx's time: milliseconds, whole numbers. Nothing in the model reads a clock; time comes with
// each request.
package clock

// Msec is a time or a duration in milliseconds, as ngx_msec_int_t on 64-bit systems.
type Msec int64
