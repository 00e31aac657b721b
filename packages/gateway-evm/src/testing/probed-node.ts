import type { IncomingMessage, ServerResponse } from 'node:http'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import type { PublicReport } from '../probe/format-report.ts'
import { runProbe } from '../probe/run-probe.ts'

/** Default options of a probe command. */
export const defaultCommand = { repeat: 1, concurrency: 4, timeoutMs: 20_000, methods: [] }

/** Probes an upstream and returns the report. */
export async function probe(
  url: string,
  options: Partial<Parameters<typeof runProbe>[0]> = {},
  signal = new AbortController().signal,
): Promise<PublicReport> {
  const command = { ...defaultCommand, format: 'json', url, ...options } as const
  return JSON.parse(await runProbe(command, () => undefined, signal)) as PublicReport
}

/** Returns the outcomes over one transport by method. */
export function outcomes({ methods: found }: PublicReport, transport = 'http'): Record<string, string> {
  const rows = found.filter((row) => row.transport === transport)
  return Object.fromEntries(rows.map(({ method, outcome }) => [method, outcome]))
}

/** A call as an upstream receives it. */
export interface ReceivedCall {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** Starts a fake upstream that responds to every call with the return value of the callback. */
export async function nodeWithResponse(
  respond: (call: ReceivedCall, response: ServerResponse) => object | string | undefined,
): Promise<string> {
  return startTestNode(async (request: IncomingMessage, response: ServerResponse) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    if (text === '') {
      response.writeHead(426).end()
      return
    }
    const call = JSON.parse(text) as ReceivedCall
    const reply = respond(call, response)
    if (reply === undefined) return
    response.setHeader('content-type', 'application/json')
    response.end(
      typeof reply === 'string' ? reply : JSON.stringify({ jsonrpc: '2.0', id: call.id, ...reply }),
    )
  })
}

const block = { number: '0x10', hash: `0x${'ab'.repeat(32)}`, timestamp: '0x1', transactions: [] }

/** Returns the response of an upstream that has every method. */
export function content({ method }: ReceivedCall): object {
  return { result: method === 'eth_getBlockByNumber' ? block : '0x1' }
}
