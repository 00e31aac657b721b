import type { Option } from '@fairlead/gateway-core/protocol/option'

/** What the service tells, and whom. */
export const observationOptions = {
  privateWebhookTargets: {
    kind: 'boolean',
    environment: 'FAIRLEAD_PRIVATE_WEBHOOK_TARGETS',
    description:
      'Send events to webhooks in private networks and on this machine too, and over plain HTTP. Whoever may make a webhook then reaches those.',
    fallback: false,
    reload: true,
  },
  metricsToken: {
    kind: 'secret',
    environment: 'FAIRLEAD_METRICS_TOKEN',
    description: 'Bearer token for /metrics; without it only loopback may read them.',
    reload: true,
  },
  tracingEndpoint: {
    kind: 'secret',
    environment: 'FAIRLEAD_TRACING_ENDPOINT',
    description:
      'Address that traces are sent to, OTLP over HTTP, such as http://collector:4318/v1/traces; without it none are made.',
    form: { pattern: /^https?:\/\/\S+$/, rule: 'an http:// or https:// address' },
  },
  tracingRatio: {
    kind: 'number',
    environment: 'FAIRLEAD_TRACING_RATIO',
    description: 'Share of requests that are traced though their clients do not ask for it, from 0 to 1.',
    fallback: 0.01,
    minimum: 0,
    maximum: 1,
  },
  logRequests: {
    kind: 'enum',
    environment: 'FAIRLEAD_LOG_REQUESTS',
    description:
      'Requests that get a log line at the level info: failed for those with a status of 500 and above.',
    values: ['all', 'failed', 'none'],
    fallback: 'failed',
    reload: true,
  },
  logLevel: {
    kind: 'enum',
    environment: 'FAIRLEAD_LOG_LEVEL',
    description: 'Least severe log line that is written; unless given, info for serve and warn for dev.',
    values: ['debug', 'info', 'warn', 'error', 'silent'],
    reload: true,
  },
} as const satisfies Readonly<Record<string, Option>>
