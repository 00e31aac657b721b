import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, inject, it } from 'vitest'
import { WebSocket } from 'ws'
import { type MalformedRequest, malformedRequests } from './malformed-requests.ts'
import { malformedTransfers, sendBytes } from './malformed-transfers.ts'

const { api_key: apiKey, base_url: baseUrl, nodes } = inject('development')
const [node] = nodes
const url = new URL(`${baseUrl}/${node.token}`)

interface ReceivedResponse {
  readonly status: number
  readonly text: string
}

async function send(body: Uint8Array): Promise<ReceivedResponse> {
  const response = await fetch(url, {
    method: 'POST',
    body: body as Uint8Array<ArrayBuffer>,
    headers: { 'content-type': 'application/json' },
  })
  return { status: response.status, text: await response.text() }
}

interface RpcResponse {
  readonly error?: { readonly code: number; readonly message: string }
}

/** The outcome of a response, in the form of the expectation. */
function outcomeOf({ status, text }: ReceivedResponse, { outcomes, idText }: MalformedRequest) {
  const parsed = text === '' ? [] : (JSON.parse(text) as RpcResponse | readonly RpcResponse[])
  const list = Array.isArray(parsed) ? (parsed as readonly RpcResponse[]) : [parsed as RpcResponse]
  const codes = list.map(({ error }, index) => {
    if (!error) return 'result'
    return outcomes[index] === 'error' ? 'error' : error.code
  })
  const id = /^\{"jsonrpc":"2\.0","id":(.*),"(?:result|error)":/s.exec(text)?.[1]
  return { status, outcomes: codes, ...(idText !== undefined && { hasId: id === idText }) }
}

describe('malformed requests', () => {
  it('include at least thirty cases', () => {
    expect(malformedRequests.length).toBeGreaterThan(30)
    expect(new Set(malformedRequests.map(({ name }) => name)).size).toBe(malformedRequests.length)
  })

  it.each(malformedRequests.map((request) => [request.name, request] as const))(
    'get the documented response: %s',
    async (_, request) => {
      const { outcomes, status = 200, idText } = request
      const received = await send(request.body)
      expect(outcomeOf(received, request)).toEqual({
        status,
        outcomes,
        ...(idText !== undefined && { hasId: true }),
      })
    },
  )

  it('get the same responses over one WebSocket, which stays open except for messages that are too long', async () => {
    const { ws_url: wsUrl, token } = node
    const openSocket = async () => {
      const socket = new WebSocket(`${wsUrl}/${token}`)
      await once(socket, 'open')
      return socket
    }
    const survivor = await openSocket()
    const exchange = async (body: Uint8Array): Promise<string> => {
      const message = once(survivor, 'message')
      survivor.send(body)
      return String(((await message) as [Buffer])[0])
    }
    const chainId = new TextEncoder().encode('{"jsonrpc":"2.0","id":"alive","method":"eth_chainId"}')
    for (const request of malformedRequests) {
      const { name, body, isTooLong, outcomes, idText, isForWebSocket } = request
      if (isTooLong) {
        const secondSocket = await openSocket()
        secondSocket.send(body)
        expect([name, (await once(secondSocket, 'close'))[0]]).toEqual([name, 1009])
      } else if (outcomes.length === 0) {
        // No response at all: the next response belongs to the next call.
        survivor.send(body)
        expect([name, await exchange(chainId)]).toEqual([name, expect.stringContaining('"alive"')])
      } else {
        const text = await exchange(body)
        const expected = isForWebSocket ? ['result'] : outcomes
        expect({ name, ...outcomeOf({ status: 200, text }, request) }).toEqual({
          name,
          status: 200,
          outcomes: expected,
          ...(idText !== undefined && { hasId: true }),
        })
      }
    }
    // Sent as a text frame, a message that is not valid UTF-8 closes the connection.
    for (const { name, body } of malformedRequests) {
      if (isUtf8(body)) continue
      const secondSocket = await openSocket()
      secondSocket.send(body, { binary: false })
      expect([name, (await once(secondSocket, 'close'))[0]]).toEqual([name, 1007])
    }
    expect(await exchange(chainId)).toContain('"alive"')
    survivor.close()
  })

  it.each(malformedTransfers('/token').map(({ name }, at) => [name, at] as const))(
    'are rejected: %s',
    async (_, at) => {
      const { text, statuses } = malformedTransfers(url.pathname)[at] as ReturnType<
        typeof malformedTransfers
      >[0]
      const received = await sendBytes(url, text)
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0)
      expect(statuses).toContain(status)
    },
  )

  it('are not echoed when they contain a secret', async () => {
    const { token, password } = node
    for (const secret of [token, password, apiKey]) {
      for (const text of [
        secret,
        `{"jsonrpc":"2.0","id":1,"method":"${secret}"}`,
        `{"jsonrpc":"${secret}","id":1,"method":"eth_chainId"}`,
        `{"jsonrpc":"2.0","id":{"${secret}":1},"method":"eth_chainId"}`,
        `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":"${secret}"}`,
        `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":["${secret}"]}`,
        `{"jsonrpc":"2.0","id":1,"method":"debug_traceCallMany","params":["${secret}",{}]}`,
        `{"jsonrpc":"2.0","id":1,"method":"debug_traceCallMany","params":[[],{},{"${secret}":{}}]}`,
      ]) {
        const { text: echo } = await send(new TextEncoder().encode(text))
        expect(JSON.parse(echo)).toHaveProperty('error')
        expect(echo).not.toContain(secret)
      }
    }
    expect(readFileSync(inject('output'), 'utf8')).not.toContain(token)
  })
})
