import { onTestFinished } from 'vitest'
import { serve } from '@fairlead/gateway-core/testing/serve'

/** A received span. */
interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
}

/** A receiver of traces. */
interface TraceReceiver {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** All received data, including the headers. */
  text(): string
}

interface ExportedTraces {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[]
  }[]
}

type ExportedSpan = Omit<ReceivedSpan, 'attributes'> & {
  readonly attributes?: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

/** Starts a server that accepts traces as OTLP over HTTP in JSON, until the running test ends. */
export async function traceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = []
  let text = ''
  const server = await serve((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      text += `${JSON.stringify(request.headers)}\n${body}\n`
      spans.push(...spansOf(JSON.parse(body) as ExportedTraces))
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  onTestFinished(server.stop)
  return { url: `${server.url}/v1/traces`, spans, text: () => text }
}

function spansOf({ resourceSpans }: ExportedTraces): readonly ReceivedSpan[] {
  const exported = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  return exported.map(({ attributes = [], ...span }) => ({
    ...span,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  }))
}
