package tidy

import (
	"go/version"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/auditstream/auditstream/internal/config"
)

// pinned is an image with its whole version: not latest, not 4 or 4.2.
var pinned = regexp.MustCompile(`^[a-z0-9./-]+:v?[0-9]+\.[0-9]+\.[0-9]+(-[a-z0-9.]+)?$`)

var from = regexp.MustCompile(`(?m)^FROM (\S+)`)

// stack is what docker-compose.yml may have; a key that is not here is taken
// for a mistyped one.
type stack struct {
	Name     string
	Services map[string]service
	Volumes  map[string]any
}

type service struct {
	Image       string
	Build       struct{ Context, Dockerfile string }
	Profiles    []string
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Command     []string
	Restart     string
	StopGrace   string `yaml:"stop_grace_period"`
	Ports       []string
	Environment map[string]string
	Volumes     []string
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	SecurityOpt []string `yaml:"security_opt"`
	Healthcheck struct {
		Test              []string
		Interval, Timeout string
		Retries           int
	}
}

// oneShot are the services that end when their work is done.
var oneShot = []string{"topics"}

func unmarshal(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// strictly refuses keys that the value does not have.
func strictly(t *testing.T, name, text string, into any) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func composed(t *testing.T) (s stack) {
	t.Helper()
	strictly(t, "docker-compose.yml", read(t, "compose/docker-compose.yml"), &s)
	for _, service := range []string{"kafka", "topics", "registry", "demo", "auditstream", "alert", "alertmanager", "prometheus", "grafana", "akhq"} {
		if _, ok := s.Services[service]; !ok {
			t.Fatalf("docker-compose.yml has no service %s", service)
		}
	}
	return s
}

func TestImagesArePinned(t *testing.T) {
	for name, service := range composed(t).Services {
		if service.Image == "" && service.Build.Dockerfile != "compose/Dockerfile" {
			t.Errorf("service %s has neither an image nor compose/Dockerfile", name)
		}
		if service.Image != "" && !pinned.MatchString(service.Image) {
			t.Errorf("service %s: %q: name the whole version", name, service.Image)
		}
	}
	stages := from.FindAllStringSubmatch(read(t, "compose/Dockerfile"), -1)
	if len(stages) != 2 {
		t.Fatalf("compose/Dockerfile has %d stages, want 2: build and run", len(stages))
	}
	for _, stage := range stages {
		if stage[1] != "scratch" && !pinned.MatchString(stage[1]) {
			t.Errorf("compose/Dockerfile: %q: name the whole version", stage[1])
		}
	}
	// A newer Go of the same line has fewer known faults.
	language := "go" + regexp.MustCompile(`(?m)^go (\S+)`).FindStringSubmatch(read(t, "go.mod"))[1]
	builder, _, _ := strings.Cut(stages[0][1], "-")
	builder = strings.Replace(builder, "golang:", "go", 1)
	if version.Lang(builder) != version.Lang(language) || version.Compare(builder, language) < 0 {
		t.Errorf("compose/Dockerfile builds with %s, go.mod says %s", stages[0][1], language)
	}
}

// Who waits for another waits for one that is there and can tell.
func TestServicesStartInOrder(t *testing.T) {
	s := composed(t)
	imageTells := strings.Contains(read(t, "compose/Dockerfile"), "\nHEALTHCHECK ")
	healthy := func(name string) bool {
		one := s.Services[name]
		return len(one.Healthcheck.Test) > 0 || one.Image == "" && imageTells
	}
	for name, one := range s.Services {
		for other, how := range one.DependsOn {
			ends := slices.Contains(oneShot, other)
			_, there := s.Services[other]
			switch {
			case !there:
				t.Errorf("%s waits for %s, which is no service", name, other)
			case ends && how.Condition != "service_completed_successfully", !ends && how.Condition != "service_healthy":
				t.Errorf("%s waits for %s to be %q", name, other, how.Condition)
			case !ends && !healthy(other):
				t.Errorf("%s waits for %s, which has no healthcheck", name, other)
			}
		}
		if waits(s, name, nil) {
			t.Errorf("%s waits for itself", name)
		}
		// The last of a chain has nobody to tell but `docker compose ps`.
		if !healthy(name) && !slices.Contains(append(oneShot, "demo", "akhq"), name) {
			t.Errorf("%s has no healthcheck", name)
		}
	}
}

// waits reports whether a service waits for one of the path, in the end itself.
func waits(s stack, name string, path []string) bool {
	if slices.Contains(path, name) {
		return true
	}
	for other := range s.Services[name].DependsOn {
		if waits(s, other, append(path, name)) {
			return true
		}
	}
	return false
}

// The program's containers can write nothing but their state, as nobody.
func TestImageIsUnprivileged(t *testing.T) {
	for name, one := range composed(t).Services {
		if one.Image == "" && (!one.ReadOnly || !slices.Contains(one.CapDrop, "ALL") || !slices.Contains(one.SecurityOpt, "no-new-privileges:true")) {
			t.Errorf("%s: read_only, cap_drop: [ALL] and no-new-privileges are missing", name)
		}
	}
	dockerfile := read(t, "compose/Dockerfile")
	for _, line := range []string{"FROM scratch\n", "\nUSER 10001:10001\n", "CGO_ENABLED=0", "\nENTRYPOINT [\"auditstream\"]\n", `CMD ["auditstream", "healthcheck"]`} {
		if !strings.Contains(dockerfile, line) {
			t.Errorf("compose/Dockerfile has no %q", line)
		}
	}
}

func TestPinRuleRefuses(t *testing.T) {
	for _, image := range []string{"apache/kafka", "apache/kafka:latest", "apache/kafka:4.2", "alpine:3"} {
		if pinned.MatchString(image) {
			t.Errorf("%q counts as pinned", image)
		}
	}
}

func TestPortsAreOnLoopback(t *testing.T) {
	for name, service := range composed(t).Services {
		for _, port := range service.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("service %s publishes %q: nothing here asks who calls, so put 127.0.0.1: before it", name, port)
			}
		}
	}
}

// What is mounted is there, and named volumes are declared.
func TestMountsExist(t *testing.T) {
	s := composed(t)
	for name, service := range s.Services {
		for _, volume := range service.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			if strings.HasPrefix(source, ".") {
				if _, err := os.Stat(filepath.Join(root, "compose", source)); err != nil {
					t.Errorf("service %s: %v", name, err)
				}
			} else if _, ok := s.Volumes[source]; !ok {
				t.Errorf("service %s: volume %s is not declared", name, source)
			}
		}
	}
}

func TestComposedAuditFitsItsStack(t *testing.T) {
	c, err := config.Load(filepath.Join(root, "compose", "ticks.properties"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := composed(t)
	for _, topic := range c.Topics {
		if !slices.Contains(s.Services["topics"].Command, "--topic="+topic) {
			t.Errorf("ticks.properties audits %s, which docker-compose.yml does not make", topic)
		}
	}
	for _, broker := range c.BootstrapServers {
		host, _, _ := strings.Cut(broker, ":")
		if _, ok := s.Services[host]; !ok {
			t.Errorf("ticks.properties reads from %s, which is no service", broker)
		}
	}
	var scrape struct {
		Configs []struct {
			Path    string                       `yaml:"metrics_path"`
			Targets []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	unmarshal(t, "compose/prometheus.yml", &scrape)
	var scraped []string
	for _, config := range scrape.Configs {
		if config.Path != "" && config.Path != "/metrics" {
			t.Errorf("prometheus.yml scrapes %s", config.Path)
		}
		for _, targets := range config.Targets {
			scraped = append(scraped, targets.Targets...)
		}
	}
	if want := []string{"auditstream:" + port(c.RestListeners), "alert:" + port(c.Alert.Listeners)}; !slices.Equal(scraped, want) {
		t.Errorf("prometheus.yml scrapes %v, want %v", scraped, want)
	}
	if !strings.HasPrefix(c.RestListeners, "http://0.0.0.0:") {
		t.Errorf("rest.listeners is %s: from outside its container only 0.0.0.0 is in reach", c.RestListeners)
	}
}

func port(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }

// Every folder of the program is copied into the image's build.
func TestImageHasAllPackages(t *testing.T) {
	dockerfile := read(t, "compose/Dockerfile")
	for _, s := range sources(t) {
		folder, _, _ := strings.Cut(s.path, "/")
		if !s.test() && path.Dir(s.path) != "." && folder != "test" && folder != "examples" && !strings.Contains(dockerfile, "COPY "+folder+" "+folder+"\n") {
			t.Errorf("%s: compose/Dockerfile does not copy %s", s.path, folder)
		}
	}
}
