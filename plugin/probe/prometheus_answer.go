package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// sample is one number of an instant query's answer.
type sample struct {
	name  string // of the series, or what stands for it
	value float64
}

// parseAnswer reads the answer of /api/v1/query (Prometheus documentation, HTTP API, Instant queries): a scalar, or a vector of series
// with a number each.
func parseAnswer(text []byte) ([]sample, error) {
	var answer struct {
		Status, ErrorType, Error string
		Data                     struct {
			ResultType string
			Result     json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("not an answer of the API: %s", quoted(text))
	}
	switch {
	case answer.Status == "error":
		return nil, fmt.Errorf("%s: %s", answer.ErrorType, answer.Error)
	case answer.Status != "success":
		return nil, fmt.Errorf("not an answer of the API: %s", quoted(text))
	}
	switch answer.Data.ResultType {
	case "scalar":
		value, err := parseValue(answer.Data.Result)
		return []sample{{"the result", value}}, err
	case "vector":
		return parseVector(answer.Data.Result)
	}
	return nil, fmt.Errorf("the query gives a %s, expected a number or an instant vector", quoted(answer.Data.ResultType))
}

func parseVector(text json.RawMessage) ([]sample, error) {
	var series []struct {
		Metric map[string]string
		Value  json.RawMessage
	}
	if err := json.Unmarshal(text, &series); err != nil {
		return nil, errors.New("the vector cannot be read")
	}
	samples := make([]sample, 0, len(series))
	for _, s := range series {
		name := seriesName(s.Metric)
		if s.Value == nil {
			return nil, fmt.Errorf("%s is a histogram, expected a number", name)
		}
		value, err := parseValue(s.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		samples = append(samples, sample{name, value})
	}
	return samples, nil
}

// parseValue reads a time and a number, which stands in a text so that it may be NaN or infinite.
func parseValue(text json.RawMessage) (float64, error) {
	var pair []any
	if err := json.Unmarshal(text, &pair); err != nil || len(pair) != 2 {
		return math.NaN(), errors.New("a value cannot be read")
	}
	word, _ := pair[1].(string)
	value, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return math.NaN(), fmt.Errorf("%s is no number", quoted(word))
	}
	return value, nil
}

// seriesName is the series as PromQL writes it, on one short line.
func seriesName(labels map[string]string) string {
	const metric = "__name__"
	words := make([]string, 0, len(labels))
	for label, value := range labels {
		if label != metric {
			words = append(words, label+"="+strconv.Quote(value))
		}
	}
	slices.Sort(words)
	name := labels[metric]
	if len(words) > 0 || name == "" {
		name += "{" + strings.Join(words, ",") + "}"
	}
	return bare(errors.New(name))
}
