package kernel

import "github.com/weft-gnn/weft/tensor"

func headDotEach(dst, x, y tensor.Matrix, lo, hi int, _ float32) {
	for i := lo; i < hi; i++ {
		headDot(dst.Row(i), x.Row(i), y.Row(i))
	}
}

// headDot computes z[h] = Σ_c x[h, c]·y[h, c] of one row.
func headDot(z, x, y []float32) {
	f := len(x) / len(z)
	for h := range z {
		z[h] = dot(x[h*f:(h+1)*f], y[h*f:(h+1)*f])
	}
}

func headSumEach(dst, x, _ tensor.Matrix, lo, hi int, _ float32) {
	for i := lo; i < hi; i++ {
		y, x := dst.Row(i), x.Row(i)
		for x = x[copy(y, x):]; len(x) > 0; x = x[len(y):] {
			accumulate(y, x[:len(y)])
		}
	}
}

func headScaleEach(dst, x, s tensor.Matrix, lo, hi int, _ []uint32) {
	f := dst.Cols / s.Cols
	for i := lo; i < hi; i++ {
		y, x := dst.Row(i), x.Row(i)
		for h, s := range s.Row(i) {
			scaleTo(y[h*f:(h+1)*f], x[h*f:(h+1)*f], nil, s)
		}
	}
}

func headAddEach(dst, x, s tensor.Matrix, lo, hi int, _ []uint32) {
	f := dst.Cols / s.Cols
	for i := lo; i < hi; i++ {
		y, x := dst.Row(i), x.Row(i)
		for h, s := range s.Row(i) {
			own := y[h*f : (h+1)*f]
			addScaledTo(own, own, x[h*f:(h+1)*f], s)
		}
	}
}

func sumColumns(dst []float32, x tensor.Matrix, lo, hi int) {
	clear(dst)
	i := lo
	for ; i+4 <= hi; i += 4 {
		add4(dst, x.Row(i), x.Row(i+1), x.Row(i+2), x.Row(i+3))
	}
	for ; i < hi; i++ {
		accumulate(dst, x.Row(i))
	}
}

func headColumnSum(dst []float32, x, g tensor.Matrix, lo, hi int, _ []uint32) {
	f := x.Cols / g.Cols
	clear(dst)
	for i := lo; i < hi; i++ {
		x := x.Row(i)
		for h, g := range g.Row(i) {
			axpy(dst[h*f:(h+1)*f], x[h*f:(h+1)*f], g)
		}
	}
}

func sumDouble(x, _ []float32) (sum float64) {
	for _, v := range x {
		sum += float64(v)
	}
	return sum
}

func dotDouble(x, y []float32) (sum float64) {
	for i, v := range x {
		sum += float64(v) * float64(y[i])
	}
	return sum
}
