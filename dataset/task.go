package dataset

import "slices"

// Task is what a data set asks to be learnt.
type Task int

// The tasks.
const (
	NoTask Task = iota // structure only: nothing to learn is stated
	VertexClassification
	VertexRegression
	GraphClassification
	GraphRegression
	LinkPrediction
)

var taskTexts = texts{"task", []string{
	NoTask:               "none",
	VertexClassification: "vertex-classification",
	VertexRegression:     "vertex-regression",
	GraphClassification:  "graph-classification",
	GraphRegression:      "graph-regression",
	LinkPrediction:       "link-prediction",
}}

// String returns the task's text, such as "vertex-classification".
func (t Task) String() string { return taskTexts.of(int(t)) }

// MarshalText writes the task's text. Errors: the value names no task.
func (t Task) MarshalText() ([]byte, error) { return taskTexts.marshal(int(t)) }

// UnmarshalText reads what MarshalText writes. Errors: any other text; the
// error lists what is accepted.
func (t *Task) UnmarshalText(text []byte) error {
	v, err := taskTexts.unmarshal(text)
	if err == nil {
		*t = Task(v)
	}
	return err
}

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

// metricTexts are the metrics as OGB writes them.
var metricTexts = texts{"metric", []string{
	NoMetric: "", Accuracy: "acc", ROCAUC: "rocauc", AveragePrecision: "ap", F1: "F1", RMSE: "rmse", MAE: "mae",
}}

// String returns the metric as OGB writes it, such as "rocauc"; "" for NoMetric.
func (m Metric) String() string { return metricTexts.of(int(m)) }

// ParseMetric reads OGB's name of a metric; NoMetric for one that is not known.
func ParseMetric(s string) Metric { return Metric(max(0, slices.Index(metricTexts.names, s))) }
