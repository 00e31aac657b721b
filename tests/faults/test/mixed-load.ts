import { Agent, request } from 'node:http'
import { WebSocket } from 'ws'

/** The credentials of the calls, and their URL. */
export interface LoadTarget {
  readonly url: string
  readonly token: string
  readonly basic: string
}

/** The results since the previous report. */
export interface LoadReport {
  /** Messages with the expected response. A batch is one message. */
  readonly responses: number
  /** Failures by kind, with their number. */
  readonly failures: Readonly<Record<string, number>>
  /** Heads that were lower than one that the same credential had received before the request. */
  readonly regressions: number
  /** Batches whose calls returned different latest blocks. */
  readonly inconsistentBatches: number
  /** Responses with a block that had been replaced before the request. */
  readonly stale: number
  /** Longest time to a good response, in milliseconds. */
  readonly maxMs: number
}

/** Read-only calls of several credentials: single calls, batches, and calls over a WebSocket. */
export interface MixedLoad {
  takeReport(): LoadReport
  /** Marks these blocks as no longer part of the chain. */
  replaced(hashes: readonly string[]): void
  end(): Promise<void>
}

const account = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const latestBlock = call('eth_getBlockByNumber', ['latest', false])
const singles = [
  call('eth_blockNumber', []),
  latestBlock,
  call('eth_getBalance', [account, 'latest']),
  call('eth_getBlockByNumber', ['0x5', true]),
  call('eth_call', [{ to: account }, 'latest']),
  call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x4' }]),
  call('eth_getTransactionCount', [account, 'latest']),
  call('eth_chainId', []),
]
const batch = singles.slice(0, 3).map((single, at) => ({ ...single, id: at + 1 }))
const pauseMs = 10

interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

type Body = RpcCall | readonly RpcCall[]

interface RpcResponse {
  readonly result?: unknown
  readonly error?: { readonly code: number }
}

interface Head {
  readonly number: number
  readonly hash?: string
}

/** The state at the time of a request. */
interface SentRequest {
  readonly credential: string
  readonly calls: readonly RpcCall[]
  /** The highest head that the credential had received. */
  readonly minHeight: number
  /** Blocks that were no longer part of the chain. */
  readonly reorgedOut: ReadonlySet<string>
}

function call(method: string, params: readonly unknown[]) {
  return { jsonrpc: '2.0', id: 1, method, params }
}

/** Starts with four clients, a batch client for each credential, and a WebSocket. */
export async function mixedLoad({ url, token, basic }: LoadTarget): Promise<MixedLoad> {
  const ended = new AbortController()
  const highest = new Map<string, number>()
  const reorgedOut = new Set<string>()
  let report = emptyReport()

  /** Checks a good response. Returns the problem, if any. */
  const checkResponse = (sentRequest: SentRequest, text: string): string | undefined => {
    const responses = [JSON.parse(text) as unknown].flat() as RpcResponse[]
    const error = responses.find((response) => response.error)?.error
    if (error) return `error ${error.code}`
    if (responses.some(({ result }) => result === null)) return 'nothing'
    const heads = responses.flatMap(({ result }, index) => headIn(sentRequest.calls[index], result) ?? [])
    for (const { number, hash } of heads) {
      if (number < sentRequest.minHeight) report.regressions += 1
      if (hash !== undefined && sentRequest.reorgedOut.has(hash)) report.stale += 1
      highest.set(sentRequest.credential, Math.max(highest.get(sentRequest.credential) ?? 0, number))
    }
    if (new Set(heads.map(({ number }) => number)).size > 1) report.inconsistentBatches += 1
    report.responses += 1
    return undefined
  }
  const exchange = async (credential: string, body: Body, send: (text: string) => Promise<string>) => {
    const minHeight = highest.get(credential) ?? 0
    const sentRequest = { credential, calls: [body].flat(), minHeight, reorgedOut: new Set(reorgedOut) }
    const started = performance.now()
    const problem = await send(JSON.stringify(body)).then(
      (text) => checkResponse(sentRequest, text),
      (error: Error) => error.message,
    )
    if (problem === undefined) report.maxMs = Math.max(report.maxMs, performance.now() - started)
    else report.failures[problem] = (report.failures[problem] ?? 0) + 1
  }
  const client = async (credential: 'token' | 'basic', bodies: readonly Body[], from: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const post = credential === 'token' ? poster(`${url}/${token}`, agent) : poster(url, agent, basic)
    for (let at = from; !ended.signal.aborted; at++) {
      await exchange(credential, bodies[at % bodies.length] ?? latestBlock, post)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    agent.destroy()
  }
  const socket = await openSocket(`${url.replace('http', 'ws')}/${token}`)
  const overSocket = async () => {
    for (let at = 0; !ended.signal.aborted; at++) {
      await exchange('token', singles[at % singles.length] ?? latestBlock, socket.send)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    socket.close()
  }
  const all = Promise.all([
    ...[0, 1, 2, 3].map((from) => client(from % 2 === 0 ? 'token' : 'basic', singles, from)),
    client('token', [batch], 0),
    client('basic', [batch], 0),
    overSocket(),
  ])
  return {
    takeReport: () => {
      const previous = report
      report = emptyReport()
      return { ...previous, maxMs: Math.round(previous.maxMs) }
    },
    replaced: (hashes) => {
      for (const hash of hashes) reorgedOut.add(hash)
    },
    end: async () => {
      ended.abort()
      await all
    },
  }
}

function emptyReport() {
  return {
    responses: 0,
    failures: {} as Record<string, number>,
    regressions: 0,
    inconsistentBatches: 0,
    stale: 0,
    maxMs: 0,
  }
}

/** The head in a response. Undefined if the response contains none. */
function headIn(sentCall: RpcCall | undefined, result: unknown): Head | undefined {
  if (sentCall?.method === 'eth_blockNumber') return { number: Number(result) }
  if (sentCall?.method !== 'eth_getBlockByNumber' || sentCall.params[0] !== 'latest') return undefined
  const { number, hash } = result as { number: string; hash: string }
  return { number: Number(number), hash }
}

function poster(url: string, agent: Agent, authorization?: string): (body: string) => Promise<string> {
  return (body) =>
    new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(authorization !== undefined && { authorization }),
      }
      const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () => {
          const code = /"code":(-?\d+)/.exec(text)?.[1] ?? ''
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`${response.statusCode} ${code}`))
        })
        response.on('error', reject)
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
}

async function openSocket(url: string) {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  let onMessage: ((text: string) => void) | undefined
  let fail: ((error: Error) => void) | undefined
  socket.on('message', (data: Buffer) => onMessage?.(data.toString()))
  socket.on('close', (code) => fail?.(new Error(`closed ${code}`)))
  return {
    send: (body: string) =>
      new Promise<string>((resolve, reject) => {
        if (socket.readyState !== WebSocket.OPEN) return reject(new Error('socket is closed'))
        ;[onMessage, fail] = [resolve, reject]
        socket.send(body)
      }),
    close: () => socket.close(),
  }
}
