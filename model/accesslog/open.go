package accesslog

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// maxWindow bounds the memory that a zstd log may ask for.
const maxWindow = 128 << 20

// packedRead is how much of a packed log is read at a time. What is read of a plain one is more, and not copied for it.
const packedRead = 64 << 10

// Unpack returns the text of a log that may be packed by gzip or zstd, which its first bytes tell. close gives back what
// unpacking needs.
func Unpack(r io.Reader) (text io.Reader, close func(), err error) {
	b := bufio.NewReaderSize(r, packedRead)
	head, err := b.Peek(4)
	if err != nil && len(head) == 0 && err != io.EOF { //nolint:errorlint // Peek returns the reader's own
		return nil, nil, err
	}
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, nil, fmt.Errorf("unpack gzip: %w", err)
		}
		return z, func() { _ = z.Close() }, nil
	case bytes.HasPrefix(head, zstdMagic):
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, fmt.Errorf("unpack zstd: %w", err)
		}
		return z, z.Close, nil
	}
	return b, func() {}, nil
}
