//go:build !linux

package tensor

// adviseHuge does nothing: only Linux takes this advice.
func adviseHuge([]byte) {}
