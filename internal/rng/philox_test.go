package rng

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The known answers of the Random123 distribution, file kat_vectors,
// philox4x32 with 10 rounds.
func TestPhiloxKnownAnswers(t *testing.T) {
	const ones = math.MaxUint32
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{want: [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{
			[4]uint32{ones, ones, ones, ones}, [2]uint32{ones, ones},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		},
		{ // digits of π
			[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		},
	} {
		n := c.counter
		w0, w1, w2, w3 := philox(n[0], n[1], n[2], n[3], c.key[0], c.key[1])
		if got := [4]uint32{w0, w1, w2, w3}; got != c.want {
			t.Errorf("counter %x, key %x: got %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

// A saved seed must mean the same numbers in every version: these come from a
// program in another language and pin the layout of the counter, the mix of the
// key and the numbers of the purposes.
func TestSeedsKeepTheirMeaning(t *testing.T) {
	c := Counter{Step: 1, Site: 2, Group: 3, ID: 4<<32 | 5}
	for _, x := range []struct {
		key  Key
		want [4]uint32
	}{
		{Key{Seed: 0, Purpose: Dropout}, [4]uint32{0xef21a4b5, 0xd74b31d2, 0x3955e680, 0x3201bb87}},
		{Key{Seed: 42, Purpose: Test}, [4]uint32{0x2df40c53, 0x22058ae4, 0xb1c7fd95, 0xe697d87b}},
	} {
		if got := x.key.Block(c); got != x.want {
			t.Errorf("%+v: got %#x, want %#x", x.key, got, x.want)
		}
	}
}

// Every field of the counter and of the key changes the words.
func TestEveryFieldCounts(t *testing.T) {
	k, c := Key{Seed: 7, Purpose: Dropout}, Counter{Step: 1, Site: 2, Group: 3, ID: 4}
	base := k.Block(c)
	for name, got := range map[string][4]uint32{
		"step":     k.Block(Counter{Step: 2, Site: 2, Group: 3, ID: 4}),
		"site":     k.Block(Counter{Step: 1, Site: 3, Group: 3, ID: 4}),
		"group":    k.Block(Counter{Step: 1, Site: 2, Group: 4, ID: 4}),
		"id":       k.Block(Counter{Step: 1, Site: 2, Group: 3, ID: 5}),
		"id above": k.Block(Counter{Step: 1, Site: 2, Group: 3, ID: 4 + 1<<32}),
		"seed":     Key{Seed: 8, Purpose: Dropout}.Block(c),
		"seed top": Key{Seed: 7 + 1<<63, Purpose: Dropout}.Block(c),
		"purpose":  Key{Seed: 7, Purpose: Init}.Block(c),
	} {
		for i := range got {
			if got[i] == base[i] {
				t.Errorf("%s: word %d stays %#x", name, i, got[i])
			}
		}
	}
}

func TestFillIsBlockByColumn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := Key{Seed: rapid.Uint64().Draw(t, "seed"), Purpose: Purpose(rapid.IntRange(1, 10).Draw(t, "purpose"))}
		step, site := rapid.Uint32().Draw(t, "step"), rapid.Uint16().Draw(t, "site")
		id := rapid.Uint64().Draw(t, "id")
		dst := make([]uint32, rapid.IntRange(0, 40).Draw(t, "columns"))
		k.Fill(dst, step, site, id)
		for j, got := range dst {
			want := k.Block(Counter{Step: step, Site: site, Group: uint16(j / 4), ID: id})[j%4]
			if got != want {
				t.Fatalf("column %d: got %#x, want %#x", j, got, want)
			}
		}
	})
}

func TestFillReachesTheLastColumn(t *testing.T) {
	k := Key{Seed: 3, Purpose: Dropout}
	dst := make([]uint32, MaxColumns)
	k.Fill(dst, 9, 8, 7)
	if want := k.Block(Counter{Step: 9, Site: 8, Group: math.MaxUint16, ID: 7})[3]; dst[MaxColumns-1] != want {
		t.Fatalf("last column: got %#x, want %#x", dst[MaxColumns-1], want)
	}
	defer func() {
		if recover() == nil {
			t.Error("one column more would repeat the first one's word, and no panic")
		}
	}()
	k.Fill(make([]uint32, MaxColumns+1), 9, 8, 7)
}

func TestDrawsDoNotAllocate(t *testing.T) {
	k, dst := Key{Seed: 1, Purpose: Dropout}, make([]uint32, 67)
	n := testing.AllocsPerRun(100, func() {
		k.Fill(dst, 1, 2, 3)
		dst[0] = k.Block(Counter{})[0]
	})
	if n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

// FNV-1a of the empty string is its offset basis; of "a" it is published as
// af63dc4c8601ec8c.
func TestID(t *testing.T) {
	if ID("") != 0xcbf29ce484222325 || ID("a") != 0xaf63dc4c8601ec8c {
		t.Fatalf("got %#x and %#x", ID(""), ID("a"))
	}
}

func BenchmarkFill(b *testing.B) {
	k, dst := Key{Seed: 1, Purpose: Dropout}, make([]uint32, 1024)
	b.SetBytes(4 * int64(len(dst)))
	for b.Loop() {
		k.Fill(dst, 1, 2, 3)
	}
}

func BenchmarkBlock(b *testing.B) {
	k := Key{Seed: 1, Purpose: Dropout}
	var sum uint32
	b.SetBytes(16)
	for i := 0; b.Loop(); i++ {
		sum += k.Block(Counter{ID: uint64(i)})[0]
	}
	if sum == 0 && b.N > 1000 {
		b.Fatal("words sum to 0")
	}
}
