package train_test

import (
	"context"
	"fmt"
	"log"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/model"
	"github.com/weft-gnn/weft/train"
)

// Train a graph convolutional network on the karate club.
func Example() {
	ctx := context.Background()
	data, err := source.Open(ctx, "karate", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	gcn, err := model.ByName("gcn")
	if err != nil {
		log.Fatal(err)
	}
	cfg := train.Defaults(gcn)
	cfg.Epochs = 100
	t, err := train.New(cfg, data, train.Settings{Threads: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	result, err := t.Train(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %s after %d epochs: at least 0.8: %v\n", result.Model, result.Metric, result.Epochs, *result.Score.Test >= 0.8)
	fmt.Println("operations of a step, predicted and counted:", result.Predicted.Work == result.Counted.Work)
	// Output:
	// gcn accuracy after 100 epochs: at least 0.8: true
	// operations of a step, predicted and counted: true
}
