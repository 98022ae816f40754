package dataset

import (
	"fmt"
	"strings"
)

// taskNames are the tasks' texts in files and on the command line, by value.
var taskNames = [...]string{
	NoTask:               "none",
	VertexClassification: "vertex-classification",
	VertexRegression:     "vertex-regression",
	GraphClassification:  "graph-classification",
	GraphRegression:      "graph-regression",
	LinkPrediction:       "link-prediction",
}

// String returns the task's text, such as "vertex-classification".
func (t Task) String() string {
	if t < 0 || int(t) >= len(taskNames) {
		return fmt.Sprintf("Task(%d)", int(t))
	}
	return taskNames[t]
}

// MarshalText writes the task's text. Errors: the value names no task.
func (t Task) MarshalText() ([]byte, error) {
	if t < 0 || int(t) >= len(taskNames) {
		return nil, fmt.Errorf("dataset: no task has the number %d", int(t))
	}
	return []byte(taskNames[t]), nil
}

// UnmarshalText reads what MarshalText writes. Errors: any other text; the
// error lists what is accepted.
func (t *Task) UnmarshalText(text []byte) error {
	for i, name := range taskNames {
		if name == string(text) {
			*t = Task(i)
			return nil
		}
	}
	return fmt.Errorf("dataset: task %q is not one of %s", text, strings.Join(taskNames[:], ", "))
}
