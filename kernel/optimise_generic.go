package kernel

var stepsGeneric = stepLoops{sgd: sgd, momentum: sgdMomentum, nesterov: sgdNesterov, adam: adam}

func sgd(p, g, _, _, c []float32) {
	rate, decay := c[0], c[1]
	for i, d := range g {
		p[i] -= rate * (d + decay*p[i])
	}
}

func sgdMomentum(p, g, _, v, c []float32) {
	rate, decay, momentum := c[0], c[1], c[2]
	for i, d := range g {
		d += decay * p[i]
		v[i] = momentum*v[i] + d
		p[i] -= rate * v[i]
	}
}

func sgdNesterov(p, g, _, v, c []float32) {
	rate, decay, momentum := c[0], c[1], c[2]
	for i, d := range g {
		d += decay * p[i]
		v[i] = momentum*v[i] + d
		p[i] -= rate * (d + momentum*v[i])
	}
}

func adam(p, g, m, v, c []float32) {
	rate, penalty, beta1, rest1, beta2, rest2, root, epsilon, shrink := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8]
	for i, d := range g {
		d += penalty * p[i]
		m[i] = beta1*m[i] + rest1*d
		v[i] = beta2*v[i] + rest2*d*d
		p[i] = shrink*p[i] - rate*m[i]/(sqrt(v[i])*root+epsilon)
	}
}
