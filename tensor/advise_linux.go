package tensor

import "golang.org/x/sys/unix"

// adviseHuge asks for huge pages. A kernel built without them, or told never to
// use them, says no; the memory works all the same.
func adviseHuge(raw []byte) { _ = unix.Madvise(raw, unix.MADV_HUGEPAGE) }
