import { Agent, request, type RequestOptions } from 'node:http'
import { Agent as SecureAgent, request as requestSecurely } from 'node:https'
import { ethCall } from '../attacker/calls.ts'
import { serverNameOf } from '../attacker/connection.ts'

/** A client that keeps its connections. */
export interface Client {
  readonly url: URL
  readonly agent: Agent | SecureAgent
  readonly host: string
  close(): void
}

/** The end of a call. */
export interface CallOutcome {
  /** Undefined for the right result. */
  readonly failure?: string
  /** Whether the response was a result, of another call. */
  readonly isWrong: boolean
}

const timeoutMs = 30_000

/** @param host - Host header and TLS server name */
export function openClient(url: string, host: string): Client {
  const options = { keepAlive: true, rejectUnauthorized: false }
  const agent = url.startsWith('https') ? new SecureAgent(options) : new Agent(options)
  return { url: new URL(url), agent, host, close: () => agent.destroy() }
}

/** Makes a call whose result contains its number. */
export function call({ url, agent, host }: Client, number: number): Promise<CallOutcome> {
  const body = ethCall(number)
  const expected = `"0x${number.toString(16).padStart(8, '0')}"`
  return new Promise((resolve) => {
    const fail = (failure: string) => resolve({ failure, isWrong: false })
    const options: RequestOptions & { servername: string } = {
      method: 'POST',
      agent,
      servername: serverNameOf(host),
      headers: { host, 'content-type': 'application/json', 'content-length': body.length },
      timeout: timeoutMs,
    }
    const send = url.protocol === 'https:' ? requestSecurely : request
    const outgoing = send(url, options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.once('error', (error) => fail(error.message))
      response.once('end', () => {
        const isResult = response.statusCode === 200 && text.includes('"result"')
        if (isResult && text.includes(expected)) resolve({ isWrong: false })
        else resolve({ failure: `${response.statusCode} ${text.slice(0, 200)}`, isWrong: isResult })
      })
    })
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no response in ${timeoutMs} ms`)))
    outgoing.once('error', (error) => fail(error.message))
    outgoing.end(body)
  })
}
