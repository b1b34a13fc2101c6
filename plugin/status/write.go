package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"reflect"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

func (h *Handler) say(r *request) error {
	var o Order
	if err := r.decode(&o); err != nil {
		return err
	}
	r.by.Author = r.author(o.Author)
	force := ""
	if o.Force {
		force = ", whatever is left"
	}
	r.done = fmt.Sprintf("%s %s%s%s%s", o.State, strings.Join(o.Objects, ", "), suffix(" for ", o.For), force, suffix(": ", o.Reason))
	if p := o.validate(); p != nil {
		return p
	}
	said, err := h.options.Backend.Say(r.Context(), o, r.by)
	if err != nil {
		return err
	}
	reply(r.w, http.StatusOK, said)
	return nil
}

func (h *Handler) failback(r *request) error {
	var o FailbackOrder
	if err := r.decode(&o); err != nil {
		return err
	}
	r.by.Author = r.author(o.Author)
	r.done = "failback " + strings.Join(o.Groups, ", ") + suffix(": ", o.Reason)
	if p := o.validate(); p != nil {
		return p
	}
	back, err := h.options.Backend.Failback(r.Context(), o, r.by)
	if err != nil {
		return err
	}
	reply(r.w, http.StatusOK, back)
	return nil
}

func (h *Handler) push(r *request) error {
	var o Pushed
	if err := r.decode(&o); err != nil {
		return err
	}
	r.by.Author = r.author(o.Author)
	r.done = "push " + o.Probe + " " + o.Health + suffix(": ", o.Reason)
	if p := o.validate(); p != nil {
		return p
	}
	reached, err := h.options.Backend.Push(r.Context(), o, r.by)
	if err != nil {
		return err
	}
	reply(r.w, http.StatusOK, reached)
	return nil
}

func (h *Handler) attempt(r *request) error {
	var o AttemptOrder
	if err := r.decode(&o); err != nil {
		return err
	}
	r.by.Author = r.author(o.Author)
	r.done = "attempt " + strings.Join(o.Checks, ", ")
	if p := o.validate(); p != nil {
		return p
	}
	reached, err := h.options.Backend.Attempt(r.Context(), o, r.by)
	if err != nil {
		return err
	}
	reply(r.w, http.StatusAccepted, reached)
	return nil
}

// author is who the request says, else the name of his certificate.
func (r *request) author(said string) string {
	if name, ok := strings.CutPrefix(r.by.Login, certificatePrefix); ok && said == "" {
		return name
	}
	return said
}

// suffix is the text with a word before it, or nothing.
func suffix(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// decode reads the body, a JSON object with no fields but those of the value.
func (r *request) decode(value any) error {
	if p := onlyOnce(r.query); p != nil {
		return p
	}
	// A page of somebody else's can send other types without asking first.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return problem(http.StatusUnsupportedMediaType, fmt.Sprintf("%q of Content-Type", r.Header.Get("Content-Type")), "application/json")
	}
	decoder := json.NewDecoder(http.MaxBytesReader(r.w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(value)
	if err == nil {
		if _, err = decoder.Token(); err == nil {
			return invalid("more than one JSON value in the body", "one object")
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
	return bodyProblem(err, value)
}

// bodyProblem says what is wrong with a body.
func bodyProblem(err error, value any) error {
	var (
		tooLarge *http.MaxBytesError
		wrong    *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &tooLarge):
		return problem(http.StatusRequestEntityTooLarge, "the body is too large", fmt.Sprintf("at most %d bytes", maxBody))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return problem(http.StatusRequestTimeout, "the body comes too slowly", fmt.Sprintf("it within %s", config.FormatDuration(readTimeout)))
	case errors.As(err, &wrong) && wrong.Field != "":
		return invalid(fmt.Sprintf("%q is a JSON %s", wrong.Field, wrong.Value), "another type; see "+base+"openapi.json")
	}
	fields := fieldsOf(value)
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		p := invalid("unknown field "+name, config.OneOf(fields))
		p.Nearest = config.Nearest(strings.Trim(name, `"`), fields)
		return p
	}
	return invalid("the body cannot be read: "+err.Error(), "a JSON object with "+config.OneOf(fields))
}

// fieldsOf are the names of a value's fields on the wire.
func fieldsOf(value any) []string {
	t := reflect.TypeOf(value).Elem()
	names := make([]string, t.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return names
}
