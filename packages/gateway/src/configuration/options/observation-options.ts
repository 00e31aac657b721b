import type { Option } from '@fairlead/gateway-core/protocol/option'

/** Metrics, logs, traces and webhook events. */
export const observationOptions = {
  privateWebhookTargets: {
    kind: 'boolean',
    environment: 'FAIRLEAD_PRIVATE_WEBHOOK_TARGETS',
    description:
      'Allow webhooks to private networks, loopback and plain HTTP; anyone who can create webhooks can then reach these targets.',
    fallback: false,
    reload: true,
  },
  metricsToken: {
    kind: 'secret',
    environment: 'FAIRLEAD_METRICS_TOKEN',
    description: 'Bearer token for /metrics; without a token, only loopback has access.',
    reload: true,
  },
  tracingEndpoint: {
    kind: 'secret',
    environment: 'FAIRLEAD_TRACING_ENDPOINT',
    description:
      'URL of an OTLP/HTTP trace receiver, such as http://collector:4318/v1/traces; without a URL, tracing is disabled.',
    form: { pattern: /^https?:\/\/\S+$/, rule: 'an http:// or https:// URL' },
  },
  tracingRatio: {
    kind: 'number',
    environment: 'FAIRLEAD_TRACING_RATIO',
    description: 'Sampling ratio of requests without a sampled trace context from the client, from 0 to 1.',
    fallback: 0.01,
    minimum: 0,
    maximum: 1,
  },
  logRequests: {
    kind: 'enum',
    environment: 'FAIRLEAD_LOG_REQUESTS',
    description: 'Requests with a log line at level info: all, failed (status 500 and above) or none.',
    values: ['all', 'failed', 'none'],
    fallback: 'failed',
    reload: true,
  },
  logLevel: {
    kind: 'enum',
    environment: 'FAIRLEAD_LOG_LEVEL',
    description: 'Minimum severity of log lines; default: info for serve, warn for dev.',
    values: ['debug', 'info', 'warn', 'error', 'silent'],
    reload: true,
  },
} as const satisfies Readonly<Record<string, Option>>
