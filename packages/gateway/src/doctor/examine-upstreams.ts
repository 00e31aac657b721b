import { connect } from 'node:http2'
import { FairleadError } from '@fairlead/core'
import { WebSocket } from 'ws'
import { parseUpstreamUrl } from '@fairlead/gateway-grpc/upstream/parse-url'
import { authorizationOf } from '@fairlead/gateway-core/upstream/upstream-url'
import { createUpstreamJwt, readJwtSecret } from '@fairlead/gateway-evm/upstream/upstream-jwt'
import { configuredUpstreams } from '../configuration/configured-upstreams.ts'
import type { Configuration } from '../configuration/options.ts'
import { parseUpstreams, type UpstreamRecord } from '@fairlead/gateway-core/grants/parse-upstreams'
import { type Finding, ok, problem, warning } from './finding.ts'

/** The nodes behind the service: whether each answers its protocol, and follows its chain. */
export async function examineUpstreams(configuration: Configuration): Promise<readonly Finding[]> {
  const configured = upstreamsOf(configuration)
  if ('state' in configured) return [configured]
  const checks = Object.entries(configured.upstreams).flatMap(([protocol, text]) => {
    const upstreams = parseUpstreams(text)
    return upstreams.map(async (upstream, at): Promise<Finding> => {
      const about = `${protocol} upstream${upstreams.length > 1 ? ` ${at + 1}` : ''}`
      if (upstream.isCordoned) return ok(about, 'cordoned, not asked')
      return examineUpstream(about, protocol, upstream, configuration.upstreamTimeoutMs)
    })
  })
  return Promise.all(checks)
}

function upstreamsOf(
  configuration: Configuration,
): { readonly upstreams: Readonly<Record<string, string>> } | Finding {
  try {
    return { upstreams: configuredUpstreams(configuration) }
  } catch (error) {
    if (!FairleadError.is(error, 'CONFIG_INVALID')) throw error
    return problem('upstreams', 'none can be used', `${error.context.option} ${error.context.rule}`)
  }
}

type Examination = (
  upstream: UpstreamRecord,
  timeoutMs: number,
) => Promise<string | { readonly warning: string }>

const examinations: Readonly<Record<string, Examination>> = {
  async evm(upstream, timeoutMs) {
    const ask = (method: string) =>
      answerOf(upstream, '', timeoutMs, { jsonrpc: '2.0', id: 1, method, params: [] })
    const chain = resultOf(await ask('eth_chainId'))
    const syncing = resultOf(await ask('eth_syncing'))
    if (syncing !== false) return { warning: `chain ${String(chain)}, the node is still syncing` }
    return `chain ${String(chain)}`
  },
  websocket: (upstream, timeoutMs) =>
    new Promise((resolve, reject) => {
      const { url, headers } = requestOf(upstream)
      const socket = new WebSocket(url, { headers, handshakeTimeout: timeoutMs })
      socket.once('open', () => {
        resolve('it takes connections')
        socket.terminate()
      })
      socket.once('error', reject)
    }),
  async beacon(upstream, timeoutMs) {
    const { data } = (await answerOf(upstream, '/eth/v1/node/syncing', timeoutMs)) as {
      data?: { head_slot?: string; is_syncing?: boolean }
    }
    if (data?.head_slot === undefined) throw new Unexpected()
    return data.is_syncing === true
      ? { warning: `slot ${data.head_slot}, the node is still syncing` }
      : `slot ${data.head_slot}`
  },
  async jetton(upstream, timeoutMs) {
    const { result } = (await answerOf(upstream, '/api/v2/getMasterchainInfo', timeoutMs)) as {
      result?: { last?: { seqno?: number } }
    }
    if (result?.last?.seqno === undefined) throw new Unexpected()
    return `master chain block ${result.last.seqno}`
  },
  async 'jetton-v3'(upstream, timeoutMs) {
    const { last } = (await answerOf(upstream, '/api/v3/masterchainInfo', timeoutMs)) as {
      last?: { seqno?: number }
    }
    if (last?.seqno === undefined) throw new Unexpected()
    return `master chain block ${last.seqno}`
  },
  grpc: ({ address }, timeoutMs) =>
    new Promise((resolve, reject) => {
      const session = connect(parseUpstreamUrl(address)?.url ?? address)
      const late = setTimeout(() => session.destroy(new Error('no answer in time')), timeoutMs)
      session.once('remoteSettings', () => {
        resolve('it speaks HTTP/2')
        session.destroy()
      })
      session.once('error', reject)
      session.once('close', () => clearTimeout(late))
    }),
}

/** The upstream answered, but not as its protocol has it. */
class Unexpected extends Error {}

async function examineUpstream(
  about: string,
  protocol: string,
  upstream: UpstreamRecord,
  timeoutMs: number,
): Promise<Finding> {
  const began = performance.now()
  try {
    const seen = await examinations[protocol]?.(upstream, timeoutMs)
    if (seen === undefined) return ok(about, 'not looked at')
    const took = `${Math.round(performance.now() - began)} ms`
    if (typeof seen === 'string') return ok(about, `${seen}, answered in ${took}`)
    return warning(
      about,
      seen.warning,
      'wait until it follows the chain; other upstreams are asked meanwhile',
    )
  } catch (error) {
    return problem(about, reasonOf(error), adviceOf(error, upstream))
  }
}

async function answerOf(
  upstream: UpstreamRecord,
  path: string,
  timeoutMs: number,
  body?: unknown,
): Promise<unknown> {
  const { url, headers } = requestOf(upstream, path)
  const response = await fetch(url, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { ...headers, 'content-type': 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) throw new Refused(response.status)
  return response.json()
}

// `fetch` takes no credentials in an address, and would quote them.
function requestOf(
  { address, jwtSecretFile }: UpstreamRecord,
  path = '',
): { readonly url: string; readonly headers: Record<string, string> } {
  const url = new URL(address)
  const authorization =
    jwtSecretFile === undefined
      ? authorizationOf(url)
      : createUpstreamJwt(readJwtSecret(jwtSecretFile)).current().authorization
  url.username = ''
  url.password = ''
  if (path !== '') url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`
  return { url: url.href, headers: authorization === undefined ? {} : { authorization } }
}

class Refused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`status ${status}`)
    this.status = status
  }
}

function resultOf(answer: unknown): unknown {
  const { result } = (answer ?? {}) as { result?: unknown }
  if (result === undefined) throw new Unexpected()
  return result
}

// The words of the runtime hold the address, and with it perhaps a token: only the kind is told.
function reasonOf(error: unknown): string {
  if (error instanceof Refused) return `it answers ${error.status}`
  if (error instanceof Unexpected || error instanceof SyntaxError) return 'it answers something else'
  const { code, name, cause } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException }
  if (name === 'TimeoutError') return 'it does not answer in time'
  return `it cannot be reached: ${code ?? cause?.code ?? 'no reason given'}`
}

function adviceOf(error: unknown, { jwtSecretFile }: UpstreamRecord): string {
  if (error instanceof Refused && error.status !== 401 && error.status !== 403) {
    return 'look whether its address has the right path'
  }
  if (error instanceof Refused) {
    return jwtSecretFile === undefined
      ? 'look whether the credentials in its address are right'
      : 'look whether jwt names the secret of this node, and whether the clocks of both machines agree'
  }
  if (error instanceof Unexpected || error instanceof SyntaxError)
    return 'look whether this is the address of such a node'
  return 'look whether the node runs, and whether this machine may reach it'
}
