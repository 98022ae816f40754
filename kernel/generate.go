package kernel

//go:generate go run ./internal/asm peak
