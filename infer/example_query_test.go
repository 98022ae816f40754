package infer_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/infer"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/train"
)

// A model is trained on the karate club, prepared, and asked about single
// members. A server has one Prepared, and a Query per goroutine.
func ExamplePrepared() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	d, err := source.Open(ctx, "karate", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	gcn, err := model.ByName("gcn")
	if err != nil {
		log.Fatal(err)
	}
	t, err := train.New(train.Defaults(gcn), d, train.Settings{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	if _, err := t.Train(ctx); err != nil {
		log.Fatal(err)
	}

	m, err := infer.Load(dir, 1)
	if err != nil {
		log.Fatal(err)
	}
	p, err := m.Prepare(d)
	if err != nil {
		log.Fatal(err)
	}
	q := p.Query()
	defer q.Close()
	vertices, err := infer.VerticesCalled(d, "1", "12")
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range vertices {
		logits, err := q.Logits([]int32{v})
		if err != nil {
			log.Fatal(err)
		}
		around, _ := q.Neighbourhood()
		fmt.Println(d.IDs.Of(int(v)), "is with Mr. Hi:", logits.Data[0] > logits.Data[1], "of", around, "around")
	}
	// Output:
	// 1 is with Mr. Hi: true of 26 around
	// 12 is with Mr. Hi: true of 17 around
}
