package healthroute

import (
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// hidden stands for a secret.
const hidden = "(hidden)"

// secretWords are in the names of headers, parameters and options whose values let somebody in.
var secretWords = []string{"auth", "cookie", "credential", "key", "login", "pass", "secret", "session", "token"}

func isSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) })
}

// withoutSecrets is the stanza without what lets somebody in elsewhere, wherever it stands: values of headers and of parameters of a path, what is
// sent, and arguments of programs.
func withoutSecrets(s *config.Stanza) *config.Stanza {
	return withoutSecretsIn(reflect.ValueOf(s)).Interface().(*config.Stanza)
}

// withoutSecretsIn copies a value. It goes through all that a stanza has, so that a new place for headers needs nothing here.
func withoutSecretsIn(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(withoutSecretsIn(v.Elem()))
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(withoutSecretsIn(v.Index(i)))
		}
		return out
	case reflect.Struct:
		out := reflect.New(v.Type())
		out.Elem().Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Elem().Field(i).Set(withoutSecretsIn(v.Field(i)))
			}
		}
		hide(out.Interface())
		return out.Elem()
	default:
		return v
	}
}

// hide takes the secrets out of what may have some.
func hide(v any) {
	switch v := v.(type) {
	case *config.Header:
		if isSecret(v.Name) {
			v.Value = hidden
		}
	case *config.HTTP:
		v.Path = withoutParameters(v.Path)
	case *config.Exchange:
		if isSecret(v.Send) {
			v.Send = hidden
		}
	case *config.Probe:
		v.Command = withoutArguments(v.Command)
	}
}

// withoutParameters is a path without the values of parameters that let somebody in.
func withoutParameters(path string) string {
	before, query, ok := strings.Cut(path, "?")
	if !ok {
		return path
	}
	parameters := strings.Split(query, "&")
	for i, p := range parameters {
		if name, _, ok := strings.Cut(p, "="); ok && isSecret(name) {
			parameters[i] = name + "=" + hidden
		}
	}
	return before + "?" + strings.Join(parameters, "&")
}

// withoutArguments is a command without values of options that let somebody in, be it `--token=VALUE` or `--token VALUE`, and without the users of URLs.
func withoutArguments(command []string) []string {
	out := slices.Clone(command)
	for i := 1; i < len(out); i++ {
		name, _, assigned := strings.Cut(out[i], "=")
		u, err := url.Parse(out[i])
		switch {
		case err == nil && u.User != nil:
			u.User = url.User(strings.Trim(hidden, "()"))
			out[i] = u.String()
		case !isSecret(name):
		case assigned:
			out[i] = name + "=" + hidden
		case strings.HasPrefix(name, "-") && i+1 < len(out):
			out[i+1] = hidden
			i++
		}
	}
	return out
}
