import * as z from "zod";

// What the files of deploy/ may say: strict, so that a misspelt key, which the programs that read them pass over in
// silence, is a fault. The key that somebody adds is added here, once it has been looked up.

const labels = z.strictObject({ app: z.string() });
const selector = z.strictObject({ matchLabels: labels });
const named = z.strictObject({ name: z.string(), labels: labels.optional() });
const texts = z.record(z.string(), z.string());
const keyOfSecret = z.strictObject({ secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }) });

const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.string() }),
  periodSeconds: z.int(),
  timeoutSeconds: z.int().optional(),
  failureThreshold: z.int().optional(),
});

const container = z.strictObject({
  name: z.string(),
  image: z.string().regex(/:\d/, "must name a version"),
  ports: z.tuple([z.strictObject({ name: z.string(), containerPort: z.int() })]),
  envFrom: z.tuple([
    z.strictObject({ configMapRef: z.strictObject({ name: z.string() }) }),
    z.strictObject({ secretRef: z.strictObject({ name: z.string() }) }),
  ]),
  env: z.array(
    z.union([
      z.strictObject({ name: z.string(), value: z.string() }),
      z.strictObject({ name: z.string(), valueFrom: keyOfSecret }),
    ]),
  ),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  lifecycle: z.strictObject({ preStop: z.strictObject({ sleep: z.strictObject({ seconds: z.int() }) }) }),
  resources: z.strictObject({ requests: texts, limits: texts }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
  }),
  volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() })),
});

const pod = z.strictObject({
  automountServiceAccountToken: z.literal(false),
  enableServiceLinks: z.literal(false),
  terminationGracePeriodSeconds: z.int(),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.int().min(1),
    runAsGroup: z.int().min(1),
    fsGroup: z.int(),
    fsGroupChangePolicy: z.literal("OnRootMismatch"),
    seccompProfile: z.strictObject({ type: z.literal("RuntimeDefault") }),
  }),
  topologySpreadConstraints: z.array(
    z.strictObject({
      maxSkew: z.int(),
      topologyKey: z.string(),
      whenUnsatisfiable: z.string(),
      labelSelector: selector,
    }),
  ),
  containers: z.tuple([container]),
  volumes: z.tuple([
    z.strictObject({ name: z.string(), persistentVolumeClaim: z.strictObject({ claimName: z.string() }) }),
    z.strictObject({
      name: z.string(),
      secret: z.strictObject({
        secretName: z.string(),
        items: z.array(z.strictObject({ key: z.string(), path: z.string() })),
      }),
    }),
  ]),
});

const resource = <Kind extends string, Shape extends z.ZodRawShape>(apiVersion: string, kind: Kind, shape: Shape) =>
  z.strictObject({ apiVersion: z.literal(apiVersion), kind: z.literal(kind), metadata: named, ...shape });

const service = z.strictObject({ name: z.string(), port: z.strictObject({ name: z.string() }) });
const path = z.strictObject({
  path: z.string(),
  pathType: z.literal("Prefix"),
  backend: z.strictObject({ service }),
});
const caller = z.strictObject({ namespaceSelector: z.strictObject({ matchLabels: texts }) });

/** The kinds of resources, each by its name. */
export const kinds = {
  ConfigMap: resource("v1", "ConfigMap", { data: texts }),
  Cluster: resource("postgresql.cnpg.io/v1", "Cluster", {
    spec: z.strictObject({
      instances: z.int(),
      imageName: z.string(),
      bootstrap: z.strictObject({
        initdb: z.strictObject({ database: z.string(), owner: z.string(), encoding: z.literal("UTF8") }),
      }),
      postgresql: z.strictObject({ parameters: texts }),
      storage: z.strictObject({ size: z.string() }),
      affinity: z.strictObject({ enablePodAntiAffinity: z.boolean(), topologyKey: z.string() }),
    }),
  }),
  PersistentVolumeClaim: resource("v1", "PersistentVolumeClaim", {
    spec: z.strictObject({
      accessModes: z.tuple([z.literal("ReadWriteMany")]),
      resources: z.strictObject({ requests: texts }),
    }),
  }),
  Deployment: resource("apps/v1", "Deployment", {
    spec: z.strictObject({
      replicas: z.int().min(2),
      strategy: z.strictObject({
        type: z.literal("RollingUpdate"),
        rollingUpdate: z.strictObject({ maxUnavailable: z.literal(0), maxSurge: z.int().min(1) }),
      }),
      selector,
      template: z.strictObject({ metadata: z.strictObject({ labels }), spec: pod }),
    }),
  }),
  PodDisruptionBudget: resource("policy/v1", "PodDisruptionBudget", {
    spec: z.strictObject({ minAvailable: z.int(), selector }),
  }),
  Service: resource("v1", "Service", {
    spec: z.strictObject({
      selector: labels,
      ports: z.tuple([z.strictObject({ name: z.string(), port: z.int(), targetPort: z.string() })]),
    }),
  }),
  Ingress: resource("networking.k8s.io/v1", "Ingress", {
    spec: z.strictObject({
      ingressClassName: z.string(),
      tls: z.array(z.strictObject({ hosts: z.array(z.string()), secretName: z.string() })),
      rules: z.tuple([z.strictObject({ host: z.string(), http: z.strictObject({ paths: z.tuple([path]) }) })]),
    }),
  }),
  NetworkPolicy: resource("networking.k8s.io/v1", "NetworkPolicy", {
    spec: z.strictObject({
      podSelector: selector,
      policyTypes: z.array(z.string()),
      ingress: z.tuple([
        z.strictObject({
          from: z.tuple([caller]),
          ports: z.tuple([z.strictObject({ protocol: z.literal("TCP"), port: z.string() })]),
        }),
      ]),
    }),
  }),
};

const address = z.strictObject({ inner: z.strictObject({ ipv4_address: z.ipv4() }) });
const condition = z.strictObject({ condition: z.literal("service_healthy") });
const common = {
  image: z.string(),
  restart: z.literal("unless-stopped"),
  security_opt: z.tuple([z.literal("no-new-privileges:true")]),
  environment: texts,
  volumes: z.array(z.string()),
};
const confined = { ...common, read_only: z.literal(true), cap_drop: z.tuple([z.literal("ALL")]), networks: address };
const server = z.strictObject({
  ...confined,
  build: z.strictObject({ context: z.string(), dockerfile: z.string() }),
  stop_grace_period: z.string(),
  env_file: z.array(z.string()),
  depends_on: z.strictObject({ database: condition }),
});

export const composeFile = z.strictObject({
  name: z.string(),
  "x-server": z.unknown(),
  services: z.strictObject({
    one: server,
    two: server,
    database: z.strictObject({
      ...common,
      stop_grace_period: z.string(),
      shm_size: z.string(),
      networks: z.array(z.string()),
      healthcheck: z.strictObject({ test: z.array(z.string()), interval: z.string(), start_period: z.string() }),
    }),
    proxy: z.strictObject({
      ...confined,
      ports: z.array(z.string()),
      tmpfs: z.array(z.string()),
      depends_on: z.strictObject({ one: condition, two: condition }),
    }),
  }),
  volumes: z.record(z.string(), z.null()),
  networks: z.strictObject({
    inner: z.strictObject({
      ipam: z.strictObject({ config: z.tuple([z.strictObject({ subnet: z.cidrv4() })]) }),
    }),
  }),
});
