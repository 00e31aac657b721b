import { once } from 'node:events'
import { type Agent, request } from 'node:http'
import { WebSocket } from 'ws'
import { jsonMembers, jsonParts } from '@fairlead/gateway-core/json-rpc/json-parts'
import { type NumberedCall, resultOf } from './numbered-calls.ts'
import { failureOf } from './response-faults.ts'

/** A call with the id that its client has chosen. */
export interface ClientCall extends NumberedCall {
  /** Id as JSON. */
  readonly id: string
}

/** What a call has received. */
export interface Outcome {
  /** `own`: the response belongs to the call. `failed`: an error of the gateway, or an incomplete response. */
  readonly kind: 'own' | 'foreign' | 'failed'
  readonly call: ClientCall
  readonly text: string
}

/** A client with one credential. */
export interface Client {
  /** Sends calls, as a batch if there are several. */
  send(calls: readonly ClientCall[]): Promise<readonly Outcome[]>
  close(): void
}

/** Creates a client that uses HTTP. */
export function httpClient(url: string, agent: Agent): Client {
  return {
    close: () => undefined,
    send: (calls) =>
      new Promise((resolve) => {
        let text = ''
        const settle = () => resolve(outcomesOf(calls, text))
        const body = bodyOf(calls)
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
        const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
          response.on('end', settle).on('error', settle)
        })
        outgoing.on('error', settle).end(body)
      }),
  }
}

// Other members of a response contain no `id`. A response that is not valid JSON also has one.
const firstId = /"id":("(?:[^"\\]|\\.)*"|[^,}]+)/

/** Opens a WebSocket, on which several calls may be in flight. */
export async function webSocketClient(url: string): Promise<Client> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  let messages = 0
  const inFlight = new Map<string, (text: string) => void>()
  const settle = (id: string, text: string) => {
    const resolve = inFlight.get(id)
    inFlight.delete(id)
    resolve?.(text)
  }
  socket.on('message', (data: Buffer) => {
    const text = data.toString()
    const [, id = ''] = firstId.exec(text) ?? []
    // A response to no call in flight was sent in place of another response.
    const [oldest = ''] = inFlight.keys()
    settle(inFlight.has(id) ? id : oldest, text)
  })
  socket.on('close', () => {
    for (const id of inFlight.keys()) settle(id, '')
  })
  return {
    close: () => socket.terminate(),
    send: async (calls) => {
      messages += 1
      const sent = calls.map((call) => (inFlight.has(call.id) ? { ...call, id: `"m${messages}"` } : call))
      const text = await new Promise<string>((resolve) => {
        inFlight.set(sent[0]?.id ?? '', resolve)
        socket.send(bodyOf(sent))
      })
      return outcomesOf(sent, text)
    },
  }
}

function bodyOf(calls: readonly ClientCall[]): string {
  const texts = calls.map(
    ({ id, method, params }) =>
      `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)}}`,
  )
  return calls.length === 1 ? texts.join('') : `[${texts.join(',')}]`
}

/** The responses in a message: one, or those of a batch. */
function partsOf(text: string): readonly string[] {
  return text.startsWith('[') ? jsonParts(text) : [text]
}

function outcomesOf(calls: readonly ClientCall[], text: string): readonly Outcome[] {
  const parts = isJson(text) ? partsOf(text) : []
  if (parts.length !== calls.length) {
    const kind = hasSecondResponse.test(text) ? 'foreign' : 'failed'
    return calls.map((call, at) => ({ kind: at === 0 ? kind : 'failed', call, text }))
  }
  return calls.map((call, at) => {
    const part = parts[at] ?? '{}'
    return { kind: kindOf(call, part), call, text: part }
  })
}

/** A response directly behind another one: the client cannot parse it, but has received both. */
const hasSecondResponse = /\}\s*\{"jsonrpc"/

function kindOf(call: ClientCall, text: string): Outcome['kind'] {
  const members = jsonMembers(text)
  const [id, result, error = ''] = [members.get('id'), members.get('result'), members.get('error')]
  const ownResult = JSON.stringify(resultOf(call))
  if (id === call.id && (result === ownResult || error.includes(failureOf(call.number)))) return 'own'
  const isForeign =
    result !== undefined || error.includes('failure of call') || (id !== call.id && id !== 'null')
  return isForeign ? 'foreign' : 'failed'
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
