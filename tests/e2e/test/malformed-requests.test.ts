import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { WebSocket } from 'ws'
import { type MalformedRequest, malformedRequests } from './malformed-requests.ts'
import { malformedTransfers, sendBytes } from './malformed-transfers.ts'
import { evmOnly, type Service, startService, temporaryFolder } from './service.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let service: Service
let url: URL

beforeAll(async () => {
  folder = await temporaryFolder(inject('database'))
  service = await startService(folder.path, evmOnly)
  url = new URL(`${service.file.base_url}/${service.file.nodes[0].token}`)
})

afterAll(async () => {
  await service.end('SIGTERM')
  await folder.remove()
})

interface Seen {
  readonly status: number
  readonly text: string
}

async function send(body: Uint8Array): Promise<Seen> {
  const response = await fetch(url, {
    method: 'POST',
    body: body as Uint8Array<ArrayBuffer>,
    headers: { 'content-type': 'application/json' },
  })
  return { status: response.status, text: await response.text() }
}

interface Answer {
  readonly error?: { readonly code: number; readonly message: string }
}

/** The outcome of a response, in the form of the expectation. */
function outcomeOf({ status, text }: Seen, { answers, idText }: MalformedRequest) {
  const parsed = text === '' ? [] : (JSON.parse(text) as Answer | readonly Answer[])
  const list = Array.isArray(parsed) ? (parsed as readonly Answer[]) : [parsed as Answer]
  const codes = list.map(({ error }, at) => {
    if (!error) return 'result'
    return answers[at] === 'error' ? 'error' : error.code
  })
  const id = /^\{"jsonrpc":"2\.0","id":(.*),"(?:result|error)":/s.exec(text)?.[1]
  return { status, answers: codes, ...(idText !== undefined && { hasId: id === idText }) }
}

describe('a request that is malformed', () => {
  it('is one of at least thirty', () => {
    expect(malformedRequests.length).toBeGreaterThan(30)
    expect(new Set(malformedRequests.map(({ name }) => name)).size).toBe(malformedRequests.length)
  })

  it.each(malformedRequests.map((request) => [request.name, request] as const))(
    'because it is %s gets its documented answer',
    async (_, request) => {
      const { answers, status = 200, idText } = request
      const seen = await send(request.body)
      expect(outcomeOf(seen, request)).toEqual({
        status,
        answers,
        ...(idText !== undefined && { hasId: true }),
      })
    },
  )

  it('has the same answers over one WebSocket, which survives all but those that it may not read', async () => {
    const [{ ws_url: wsUrl, token }] = service.file.nodes
    const open = async () => {
      const socket = new WebSocket(`${wsUrl}/${token}`)
      await once(socket, 'open')
      return socket
    }
    const survivor = await open()
    const ask = async (body: Uint8Array): Promise<string> => {
      const answer = once(survivor, 'message')
      survivor.send(body)
      return String(((await answer) as [Buffer])[0])
    }
    const chainId = new TextEncoder().encode('{"jsonrpc":"2.0","id":"alive","method":"eth_chainId"}')
    for (const request of malformedRequests) {
      const { name, body, isTooLong, answers, idText, isForWebSocket } = request
      if (isTooLong) {
        const other = await open()
        other.send(body)
        expect([name, (await once(other, 'close'))[0]]).toEqual([name, 1009])
      } else if (answers.length === 0) {
        // No response at all: the next response belongs to the next call.
        survivor.send(body)
        expect([name, await ask(chainId)]).toEqual([name, expect.stringContaining('"alive"')])
      } else {
        const text = await ask(body)
        const expected = isForWebSocket ? ['result'] : answers
        expect({ name, ...outcomeOf({ status: 200, text }, request) }).toEqual({
          name,
          status: 200,
          answers: expected,
          ...(idText !== undefined && { hasId: true }),
        })
      }
    }
    // Sent as a text frame, a message that is not valid UTF-8 closes the connection.
    for (const { name, body } of malformedRequests) {
      if (isUtf8(body)) continue
      const other = await open()
      other.send(body, { binary: false })
      expect([name, (await once(other, 'close'))[0]]).toEqual([name, 1007])
    }
    expect(await ask(chainId)).toContain('"alive"')
    survivor.close()
  })

  it.each(malformedTransfers('/token').map(({ name }, at) => [name, at] as const))(
    'because of %s is refused',
    async (_, at) => {
      const { text, statuses } = malformedTransfers(url.pathname)[at] as ReturnType<
        typeof malformedTransfers
      >[0]
      const received = await sendBytes(url, text)
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0)
      expect(statuses).toContain(status)
    },
  )

  it('is not repeated where it holds a secret', async () => {
    const { token, password } = service.file.nodes[0]
    for (const secret of [token, password, service.file.api_key]) {
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
        const { text: answer } = await send(new TextEncoder().encode(text))
        expect(JSON.parse(answer)).toHaveProperty('error')
        expect(answer).not.toContain(secret)
      }
    }
    expect(service.output()).not.toContain(token)
  })
})
