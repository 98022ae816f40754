package kernel

//go:generate go run ./internal/asm matmul
//go:generate go run ./internal/asm peak
//go:generate go run ./internal/asm edge
//go:generate go run ./internal/asm spmm
//go:generate go run ./internal/asm softmax
//go:generate go run ./internal/asm values
//go:generate go run ./internal/asm rows
//go:generate go run ./internal/asm philox
//go:generate go run ./internal/asm sums
//go:generate go run ./internal/asm attention
//go:generate go run ./internal/asm attend
//go:generate go run ./internal/asm step
//go:generate go run ./internal/asm narrow
//go:generate go run ./internal/neon
