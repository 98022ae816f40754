package main

import "testing"

// TestMiddle: the median over steps of the mean over ranks.
func TestMiddle(t *testing.T) {
	got, err := middle([][]byte{
		[]byte(`[{"Exchanging":10,"Waiting":1,"Meanwhile":4},{"Exchanging":90},{"Exchanging":30,"Waiting":3,"Meanwhile":8}]`),
		[]byte(`[{"Exchanging":20,"Waiting":3,"Meanwhile":6},{"Exchanging":70},{"Exchanging":50,"Waiting":5,"Meanwhile":2}]`),
	})
	if want := (hiding{Exchanging: 40, Waiting: 2, Meanwhile: 5}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if _, err := middle([][]byte{[]byte("a rank's complaint")}); err == nil {
		t.Error("no step was taken for one")
	}
}

// TestFraction: of what could be hidden, the lesser of exchanges and what is computed
// meanwhile.
func TestFraction(t *testing.T) {
	for _, c := range []struct {
		h    hiding
		want float64
	}{
		{hiding{Exchanging: 100, Waiting: 95, Meanwhile: 10}, 0.5},
		{hiding{Exchanging: 10, Waiting: 0, Meanwhile: 100}, 1},
		{hiding{Exchanging: 10, Waiting: 12, Meanwhile: 10}, -0.2},
	} {
		if got := c.h.fraction(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.h, got, c.want)
		}
	}
}
