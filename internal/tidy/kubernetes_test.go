package tidy

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/internal/config"
)

// The parts of Kubernetes' types that deploy/kubernetes has. A field that is
// not here is taken for a mistyped one.
type (
	labels   map[string]string
	selector struct {
		MatchLabels labels `yaml:"matchLabels"`
	}
	meta struct {
		Name   string
		Labels labels
	}
	head struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   meta
	}
	statefulSet struct {
		head `yaml:",inline"`
		Spec struct {
			Replicas            int
			ServiceName         string `yaml:"serviceName"`
			PodManagementPolicy string `yaml:"podManagementPolicy"`
			Selector            selector
			Template            struct {
				Metadata meta
				Spec     pod
			}
		}
	}
	pod struct {
		AutomountServiceAccountToken  bool `yaml:"automountServiceAccountToken"`
		EnableServiceLinks            bool `yaml:"enableServiceLinks"`
		TerminationGracePeriodSeconds int  `yaml:"terminationGracePeriodSeconds"`
		SecurityContext               struct {
			RunAsNonRoot   bool                  `yaml:"runAsNonRoot"`
			RunAsUser      int                   `yaml:"runAsUser"`
			RunAsGroup     int                   `yaml:"runAsGroup"`
			FSGroup        int                   `yaml:"fsGroup"`
			SeccompProfile struct{ Type string } `yaml:"seccompProfile"`
		} `yaml:"securityContext"`
		TopologySpreadConstraints []struct {
			MaxSkew           int      `yaml:"maxSkew"`
			TopologyKey       string   `yaml:"topologyKey"`
			WhenUnsatisfiable string   `yaml:"whenUnsatisfiable"`
			LabelSelector     selector `yaml:"labelSelector"`
		} `yaml:"topologySpreadConstraints"`
		Containers []container
		Volumes    []struct {
			Name      string
			ConfigMap struct{ Name string } `yaml:"configMap"`
			Secret    struct {
				SecretName string `yaml:"secretName"`
			}
			EmptyDir struct{} `yaml:"emptyDir"`
		}
	}
	container struct {
		Name, Image string
		Args        []string
		Env         []struct {
			Name, Value string
			ValueFrom   struct {
				FieldRef struct {
					FieldPath string `yaml:"fieldPath"`
				} `yaml:"fieldRef"`
			} `yaml:"valueFrom"`
		}
		Ports []struct {
			Name          string
			ContainerPort int `yaml:"containerPort"`
		}
		StartupProbe    probe `yaml:"startupProbe"`
		LivenessProbe   probe `yaml:"livenessProbe"`
		ReadinessProbe  probe `yaml:"readinessProbe"`
		Resources       struct{ Requests, Limits map[string]string }
		SecurityContext struct {
			AllowPrivilegeEscalation bool `yaml:"allowPrivilegeEscalation"`
			ReadOnlyRootFilesystem   bool `yaml:"readOnlyRootFilesystem"`
			Capabilities             struct{ Drop []string }
		} `yaml:"securityContext"`
		VolumeMounts []struct {
			Name      string
			MountPath string `yaml:"mountPath"`
			SubPath   string `yaml:"subPath"`
			ReadOnly  bool   `yaml:"readOnly"`
		} `yaml:"volumeMounts"`
	}
	probe struct {
		HTTPGet          struct{ Path, Port string } `yaml:"httpGet"`
		PeriodSeconds    int                         `yaml:"periodSeconds"`
		TimeoutSeconds   int                         `yaml:"timeoutSeconds"`
		FailureThreshold int                         `yaml:"failureThreshold"`
	}
	headless struct {
		head `yaml:",inline"`
		Spec struct {
			ClusterIP                string `yaml:"clusterIP"`
			PublishNotReadyAddresses bool   `yaml:"publishNotReadyAddresses"`
			Selector                 labels
			Ports                    []struct {
				Name       string
				Port       int
				TargetPort string `yaml:"targetPort"`
			}
		}
	}
	budget struct {
		head `yaml:",inline"`
		Spec struct {
			MaxUnavailable int `yaml:"maxUnavailable"`
			Selector       selector
		}
	}
	kustomization struct {
		APIVersion         string `yaml:"apiVersion"`
		Kind               string
		Resources          []string
		ConfigMapGenerator []struct {
			Name  string
			Files []string
		} `yaml:"configMapGenerator"`
		Images []struct {
			Name    string
			NewName string `yaml:"newName"`
			NewTag  string `yaml:"newTag"`
		}
	}
)

func manifest[T any](t *testing.T, file, version, kind string) (m T) {
	t.Helper()
	name := "deploy/kubernetes/" + file
	text := read(t, name)
	strictly(t, name, text, &m)
	if !strings.Contains(text, "\napiVersion: "+version+"\nkind: "+kind+"\n") {
		t.Errorf("%s is no %s of %s", name, kind, version)
	}
	return m
}

func TestManifestsFitTogether(t *testing.T) {
	k := manifest[kustomization](t, "kustomization.yaml", "kustomize.config.k8s.io/v1beta1", "Kustomization")
	set := manifest[statefulSet](t, "statefulset.yaml", "apps/v1", "StatefulSet")
	service := manifest[headless](t, "service.yaml", "v1", "Service")
	pdb := manifest[budget](t, "poddisruptionbudget.yaml", "policy/v1", "PodDisruptionBudget")
	files, err := filepath.Glob(filepath.Join(root, "deploy", "kubernetes", "*.yaml"))
	if err != nil || len(files) != len(k.Resources)+1 {
		t.Errorf("kustomization.yaml has %v of %v", k.Resources, files)
	}
	own := set.Spec.Template.Metadata.Labels
	for what, chosen := range map[string]labels{
		"the set": set.Spec.Selector.MatchLabels, "the service": service.Spec.Selector, "the budget": pdb.Spec.Selector.MatchLabels,
		"the spread": set.Spec.Template.Spec.TopologySpreadConstraints[0].LabelSelector.MatchLabels,
	} {
		if len(own) == 0 || !maps.Equal(chosen, own) {
			t.Errorf("%s selects %v, pods have %v", what, chosen, own)
		}
	}
	if set.Spec.ServiceName != service.Metadata.Name || service.Spec.ClusterIP != "None" || service.Spec.Ports[0].TargetPort != "http" {
		t.Errorf("the set's service %s is not %+v", set.Spec.ServiceName, service)
	}
	if pdb.Spec.MaxUnavailable != 1 || set.Spec.Replicas < 2 {
		t.Errorf("%d replicas, of which %d may be away", set.Spec.Replicas, pdb.Spec.MaxUnavailable)
	}
	if k.ConfigMapGenerator[0].Name != set.Spec.Template.Spec.Volumes[0].ConfigMap.Name || k.Images[0].Name != set.Spec.Template.Spec.Containers[0].Image {
		t.Errorf("kustomization.yaml names %+v and %+v", k.ConfigMapGenerator, k.Images)
	}
	if image := k.Images[0].NewName + ":" + k.Images[0].NewTag; !pinned.MatchString(image) {
		t.Errorf("%q: name the whole version", image)
	}
}

func TestPodIsAsTheProgramNeeds(t *testing.T) {
	spec := manifest[statefulSet](t, "statefulset.yaml", "apps/v1", "StatefulSet").Spec.Template.Spec
	c := spec.Containers[0]
	user := regexp.MustCompile(`(?m)^USER (\d+):`).FindStringSubmatch(read(t, "compose/Dockerfile"))
	if s := spec.SecurityContext; user == nil || !s.RunAsNonRoot || strconv.Itoa(s.RunAsUser) != user[1] || s.FSGroup != s.RunAsUser {
		t.Errorf("the pod runs as %+v, the image as %v", s, user)
	}
	if s := c.SecurityContext; s.AllowPrivilegeEscalation || !s.ReadOnlyRootFilesystem || !slices.Equal(s.Capabilities.Drop, []string{"ALL"}) {
		t.Errorf("the container has %+v", s)
	}
	if spec.TerminationGracePeriodSeconds < 10 { // a stop takes at most 5 s
		t.Errorf("%d s to stop", spec.TerminationGracePeriodSeconds)
	}
	for name, one := range map[string]struct {
		probe probe
		path  string
	}{"startup": {c.StartupProbe, "/healthz"}, "liveness": {c.LivenessProbe, "/healthz"}, "readiness": {c.ReadinessProbe, "/readyz"}} {
		if one.probe.HTTPGet.Path != one.path || one.probe.HTTPGet.Port != c.Ports[0].Name {
			t.Errorf("%s probe asks %+v", name, one.probe.HTTPGet)
		}
	}
	if c.Resources.Requests["cpu"] == "" || c.Resources.Requests["memory"] == "" || c.Resources.Limits["memory"] == "" {
		t.Errorf("resources %+v", c.Resources)
	}
	volumes := map[string]bool{}
	for _, v := range spec.Volumes {
		volumes[v.Name] = true
	}
	for _, mount := range c.VolumeMounts {
		if !volumes[mount.Name] || mount.ReadOnly == (mount.Name == "state") {
			t.Errorf("mount %+v", mount)
		}
	}
}

// The configuration is one, for the pod that it is mounted into.
func TestPodsConfiguration(t *testing.T) {
	c := manifest[statefulSet](t, "statefulset.yaml", "apps/v1", "StatefulSet").Spec.Template.Spec.Containers[0]
	dir := t.TempDir()
	secrets, file := filepath.Join(dir, "secrets.properties"), filepath.Join(dir, "audit.properties")
	text := strings.ReplaceAll(read(t, "deploy/kubernetes/audit.properties"), "/etc/auditstream/secrets/secrets.properties", secrets)
	for path, content := range map[string]string{secrets: "kafka=one\nrest=two\n", file: text} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if c.Env[0].ValueFrom.FieldRef.FieldPath != "metadata.name" {
		t.Errorf("%+v", c.Env[0])
	}
	loaded, err := config.Load(file, []string{c.Env[0].Name + "=auditstream-1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if loaded.InstanceID != "auditstream-1" || len(loaded.Notes) > 0 {
		t.Errorf("instance.id %q, notes %q", loaded.InstanceID, loaded.Notes)
	}
	if want := strconv.Itoa(c.Ports[0].ContainerPort); port(loaded.RestListeners) != want {
		t.Errorf("%s listens, the port is %s", loaded.RestListeners, want)
	}
	var paths []string
	for _, mount := range c.VolumeMounts {
		paths = append(paths, mount.MountPath)
	}
	for _, path := range []string{loaded.StateDir, c.Args[2], "/etc/auditstream/secrets"} {
		if !slices.Contains(paths, path) {
			t.Errorf("nothing is mounted at %s", path)
		}
	}
}
