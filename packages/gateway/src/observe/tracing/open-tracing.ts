import { setTimeout as delay } from 'node:timers/promises'
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { guardedAgent } from '@fairlead/gateway-core/network/guarded-agent'
import { operatorRules } from '@fairlead/gateway-core/network/guarded-connect'
import { TokenBucket } from '@fairlead/gateway-core/admission/token-bucket'
import type { TraceAttributes, TraceSpan, Tracing } from '@fairlead/gateway-core/telemetry/current-trace'

/** Destination and sampling ratio of traces. */
interface TracingOptions {
  /**
   * URL of an OTLP receiver over HTTP, for example `http://collector:4318/v1/traces`. Credentials in it are sent as
   * basic authentication.
   */
  readonly endpoint: string
  /** Share of the requests that are traced although their client does not request it, from 0 to 1. */
  readonly ratio: number
}

// A client that marks its requests as traced decides for itself, but for at most this many requests per second.
const clientTracesPerSecond = 100
const exportTimeoutMs = 10_000
// An unavailable receiver must not delay the shutdown of the gateway.
const lastSendMs = 2_000
const traceparentForm = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/

/** Starts exporting traces in the background. Traces are dropped when the receiver is unavailable. */
export function openTracing({ endpoint, ratio }: TracingOptions): Tracing {
  const { address, headers } = receiverOf(endpoint)
  const exporter = new OTLPTraceExporter({
    url: address,
    headers,
    timeoutMillis: exportTimeoutMs,
    httpAgentOptions: (protocol) => guardedAgent(protocol, operatorRules),
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'fairlead' }),
    sampler: new ParentBasedSampler({
      root: new TraceIdRatioBasedSampler(ratio),
      remoteParentSampled: rateLimitedSampler(clientTracesPerSecond),
    }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('fairlead')
  return {
    begin: (traceparent, facts) => {
      const parent = parentOf(traceparent)
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER, attributes: { ...facts } }, parent)
      return new SpanPart(tracer, span)
    },
    close: () =>
      Promise.race([
        provider.shutdown().catch(() => undefined),
        delay(lastSendMs, undefined, { ref: false }),
      ]),
  }
}

class SpanPart implements TraceSpan {
  readonly #tracer: Tracer
  readonly #span: Span

  constructor(tracer: Tracer, span: Span) {
    this.#tracer = tracer
    this.#span = span
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext()
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  }

  begin(name: string, facts: TraceAttributes): TraceSpan {
    // A span that is not recorded has no child spans.
    if (!this.#span.isRecording()) return this
    const kind = name === 'upstream' ? SpanKind.CLIENT : SpanKind.INTERNAL
    const context = trace.setSpan(ROOT_CONTEXT, this.#span)
    return new SpanPart(
      this.#tracer,
      this.#tracer.startSpan(name, { kind, attributes: { ...facts } }, context),
    )
  }

  setAttributes(facts: TraceAttributes): void {
    this.#span.setAttributes({ ...facts })
    const method = facts['rpc.method']
    if (typeof method === 'string') this.#span.updateName(method)
  }

  end(failure?: string): void {
    if (failure !== undefined) {
      this.#span.setAttribute('error.type', failure)
      this.#span.setStatus({ code: SpanStatusCode.ERROR })
    }
    this.#span.end()
  }
}

/** Returns the parent span that a client sends in `traceparent`; the root context when the header is invalid. */
function parentOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags = '00'] = traceparentForm.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT
  const isSampled = (Number.parseInt(flags, 16) & TraceFlags.SAMPLED) !== 0
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function rateLimitedSampler(perSecond: number): Sampler {
  const bucket = new TokenBucket(perSecond, perSecond, performance.now())
  return {
    shouldSample: () => {
      const isSampled = bucket.take(performance.now()) === 0
      return { decision: isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD }
    },
    toString: () => `RateLimited{${perSecond}}`,
  }
}

// Removes the credentials from the URL, because error messages of a library may quote it.
function receiverOf(endpoint: string) {
  const url = new URL(endpoint)
  const { username, password } = url
  url.username = url.password = ''
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
  return { address: url.href, headers: username === '' ? {} : { authorization } }
}
