package partition

// queue holds vertices by gain, the largest first: a binary heap that knows where
// each vertex is.
type queue struct {
	gain []int64 // of each vertex that is in the queue
	at   []int32 // its place in heap, −1 where it is not
	heap []int32
}

func newQueue(vertices int) *queue {
	q := &queue{gain: make([]int64, vertices), at: make([]int32, vertices)}
	for v := range q.at {
		q.at[v] = -1
	}
	return q
}

func (q *queue) len() int { return len(q.heap) }

func (q *queue) has(v int32) bool { return q.at[v] >= 0 }

// top is the largest gain.
func (q *queue) top() int64 { return q.gain[q.heap[0]] }

// put adds a vertex, or changes its gain.
func (q *queue) put(v int32, gain int64) {
	if !q.has(v) {
		q.gain[v], q.at[v] = gain, int32(len(q.heap))
		q.heap = append(q.heap, v)
		q.up(len(q.heap) - 1)
		return
	}
	was := q.gain[v]
	q.gain[v] = gain
	switch {
	case gain > was:
		q.up(int(q.at[v]))
	case gain < was:
		q.down(int(q.at[v]))
	}
}

// pop takes the vertex of the largest gain.
func (q *queue) pop() (int32, int64) {
	v := q.heap[0]
	q.drop(v)
	return v, q.gain[v]
}

// drop takes a vertex out, if it is in.
func (q *queue) drop(v int32) {
	i := int(q.at[v])
	if i < 0 {
		return
	}
	last := len(q.heap) - 1
	q.swap(i, last)
	q.heap = q.heap[:last]
	q.at[v] = -1
	if i < last {
		q.up(i)
		q.down(i)
	}
}

func (q *queue) clear() {
	for _, v := range q.heap {
		q.at[v] = -1
	}
	q.heap = q.heap[:0]
}

func (q *queue) swap(i, j int) {
	h := q.heap
	h[i], h[j] = h[j], h[i]
	q.at[h[i]], q.at[h[j]] = int32(i), int32(j)
}

func (q *queue) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if q.gain[q.heap[parent]] >= q.gain[q.heap[i]] {
			return
		}
		q.swap(i, parent)
		i = parent
	}
}

func (q *queue) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(q.heap) {
			return
		}
		if child+1 < len(q.heap) && q.gain[q.heap[child+1]] > q.gain[q.heap[child]] {
			child++
		}
		if q.gain[q.heap[i]] >= q.gain[q.heap[child]] {
			return
		}
		q.swap(i, child)
		i = child
	}
}
