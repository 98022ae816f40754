package dataset

import "fmt"

// Metric is what the authors of a set score it by.
type Metric int

// The metrics. NoMetric leaves the choice to the task.
const (
	NoMetric Metric = iota
	Accuracy
	ROCAUC           // area under the ROC curve, the mean over targets
	AveragePrecision // the mean over targets
	F1
	RMSE
	MAE
)

// metricNames are the metrics as OGB writes them, by value.
var metricNames = [...]string{
	NoMetric: "", Accuracy: "acc", ROCAUC: "rocauc", AveragePrecision: "ap", F1: "F1", RMSE: "rmse", MAE: "mae",
}

// String returns the metric as OGB writes it, such as "rocauc"; "" for NoMetric.
func (m Metric) String() string {
	if m < 0 || int(m) >= len(metricNames) {
		return fmt.Sprintf("Metric(%d)", int(m))
	}
	return metricNames[m]
}

// parseMetric reads OGB's name of a metric; NoMetric for one that is not known.
func parseMetric(s string) Metric {
	for m, name := range metricNames {
		if name == s {
			return Metric(m)
		}
	}
	return NoMetric
}
