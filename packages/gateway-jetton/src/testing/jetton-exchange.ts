import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { type JettonFixture, jettonToken, listenToJetton } from './jetton-fixture.ts'
import { type Behaviour, serve } from '@fairlead/gateway-core/testing/serve'

/** A request that the upstream received. */
export interface RecordedRequest {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Credentials, and parts of the upstream URL that hold credentials, which must never be exposed. */
const secrets = ['c4n4ry-user', 'c4n4ry-pass', 'c4n4ry-key', jettonToken, 'pass-fixture']

/** Credentials in the upstream URL of {@link JettonExchange}, as the upstream receives them. */
export const nodeCredentials = {
  query: 'api_key=c4n4ry-key',
  authorization: `Basic ${Buffer.from('c4n4ry-user:c4n4ry-pass').toString('base64')}`,
}

/**
 * The jetton chain API of the gateway in front of an upstream with configurable behavior, and a record of their
 * traffic.
 */
export class JettonExchange {
  readonly node: Awaited<ReturnType<typeof serve>>
  readonly gateway: JettonFixture
  /** Requests that the upstream received since {@link reset}. */
  requests: readonly RecordedRequest[] = []
  behaviour: Behaviour = ok('0')
  #received = ''

  private constructor(node: JettonExchange['node'], gateway: JettonFixture) {
    this.node = node
    this.gateway = gateway
  }

  static async start(): Promise<JettonExchange> {
    const node = await serve(async (request, response) => {
      const { method = '', url: target = '', headers } = request
      exchange.requests = [...exchange.requests, { method, target, headers, body: await text(request) }]
      await exchange.behaviour(request, response)
    })
    const upstream = `${node.url.replace('//', '//c4n4ry-user:c4n4ry-pass@')}/below?${nodeCredentials.query}`
    const gateway = await listenToJetton(upstream, { maxBodyBytes: 2_000 })
    const exchange: JettonExchange = new JettonExchange(node, gateway)
    return exchange
  }

  /** Clears the recorded requests, and makes every call succeed. */
  reset(): void {
    this.requests = []
    this.behaviour = ok('0')
  }

  /** Reads a response. */
  async read(response: Response): Promise<{ readonly status: number; readonly body: string }> {
    const body = await response.text()
    this.#received += `${body}${JSON.stringify([...response.headers])}`
    return { status: response.status, body }
  }

  /** Reads a response that must be an error of the API. The result includes the members that JSON-RPC adds. */
  async failure(response: Response): Promise<{ readonly status: number; readonly error: unknown }> {
    const { status, body } = await this.read(response)
    expect(response.headers.get('content-type')).toBe('application/json')
    const { ok: isOk, error, code, ...rest } = JSON.parse(body) as Record<string, unknown>
    expect([isOk, code]).toEqual([false, status])
    return { status, error, ...rest }
  }

  /** Sends a body by `POST`: a string unchanged, anything else as JSON. */
  post(path: string, body: unknown): Promise<Response> {
    const content = typeof body === 'string' ? body : JSON.stringify(body)
    return this.gateway.call(path, { method: 'POST', body: content })
  }

  /** Fails when a secret appeared in a response, the log or the metrics, including those of a failed call. */
  async expectNoSecret(): Promise<void> {
    this.behaviour = json(500, { ok: false, error: `GET /below?${nodeCredentials.query} failed`, code: 500 })
    await this.read(await this.gateway.call('/api/v2/getMasterchainInfo'))
    const output = await this.#allOutput()
    expect(output).toContain('getMasterchainInfo')
    for (const secret of secrets) expect(output).not.toContain(secret)
  }

  async #allOutput(): Promise<string> {
    return `${this.#received}${this.gateway.log()}${await this.gateway.metrics()}`
  }

  /**
   * Stops the gateway and the upstream. Fails when a secret appeared in a response, the log or the metrics at any time.
   */
  async stop(): Promise<void> {
    const output = await this.#allOutput()
    await this.gateway.stop()
    await this.node.stop()
    for (const secret of secrets) expect(output).not.toContain(secret)
  }
}

/** An upstream that responds in the envelope of family v2. */
export function ok(result: unknown): Behaviour {
  return json(200, { ok: true, result, '@extra': '1:0:c' })
}

/** An upstream that responds with JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Behaviour {
  return respondWith(status, 'application/json', JSON.stringify(body), headers)
}

/** An upstream that responds with text. */
export function respondWith(
  status: number,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): Behaviour {
  return (_, response) =>
    response
      .writeHead(status, { 'content-type': type, 'x-api-version': 'v', server: 'n', ...headers })
      .end(body)
}
