// The path of one request through the gateway: the functions from the first byte to the upstream, each of which waits
// for the next one, and the number of other functions that run. Folders that the path enters again are named.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGrpcServer, frameMessage, implement } from '@fairlead/grpc-transport'
import { GeyserDefinition, GetSlotRequest, SubscribeRequest } from '@fairlead/grpc/geyser'
import { checkOut, commitOf, repository } from './fixtures/checkout.ts'
import { inspect, type SourceFunction } from './fixtures/inspected-process.ts'
import { readFlags } from './fixtures/read-flags.ts'
import { type FirstStart, serve, type RunningGateway } from './fixtures/gateway-process.ts'

const flags = readFlags(import.meta.filename, {
  at: { type: 'string', description: 'commit whose gateway is walked; the working tree when left out' },
  requests: {
    type: 'string',
    default: 'evm,websocket,beacon,grpc,grpc-stream,platform',
    description: 'some of these',
  },
  allocations: {
    type: 'boolean',
    default: false,
    description: 'only measures what one request allocates on the heap',
  },
  list: { type: 'boolean', default: false, description: 'prints every function' },
})

// They run a function of their caller, and are not a step of a request.
const wrappers = new Set(['runtime/src/unexpected-errors.ts', 'runtime/src/completion.ts'])

// A WebSocket allows 1,024 subscriptions.
const warmUpRequests = 300
const measuredRequests = 600

type Gateway = RunningGateway & FirstStart

/** Prepares requests. Each call of the resolved function makes one request and reads its response. */
const requests: Readonly<Record<string, (gateway: Gateway) => Promise<() => Promise<void>>>> = {
  evm: ({ url, token }) => {
    let account = 0
    return Promise.resolve(async () => {
      const params = [`0x${(++account).toString().padStart(40, '0')}`, 'latest']
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params })
      const response = await fetch(`${url}/${token}`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      })
      await response.text()
    })
  },
  websocket: async ({ url, token }) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/${token}`)
    await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
    return async () => {
      const reply = new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }))
      socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
      await reply
    }
  },
  beacon: ({ url, token }) =>
    Promise.resolve(async () => {
      await (await fetch(`${url}/beacon/${token}/eth/v1/beacon/headers/head`)).text()
    }),
  grpc: (gateway) => {
    const message = GetSlotRequest.encode(GetSlotRequest.fromPartial({})).finish()
    return Promise.resolve(grpcCall(gateway, '/geyser.Geyser/GetSlot', message))
  },
  'grpc-stream': (gateway) => {
    const message = SubscribeRequest.encode(SubscribeRequest.fromPartial({})).finish()
    return Promise.resolve(grpcCall(gateway, '/geyser.Geyser/Subscribe', message))
  },
  platform: ({ url, apiKey }) =>
    Promise.resolve(async () => {
      await (await fetch(`${url}/v2/nodes/`, { headers: { authorization: `Bearer ${apiKey}` } })).text()
    }),
}

function grpcCall({ url, xToken = '' }: Gateway, path: string, message: Uint8Array): () => Promise<void> {
  const session = connect(url)
  const headers = { 'content-type': 'application/grpc', te: 'trailers', 'x-token': xToken }
  return async () => {
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers }, { endStream: false })
    stream.resume().end(frameMessage(message))
    await once(stream, 'end')
  }
}

const names = flags.requests.split(',')
const unknown = names.find((name) => requests[name] === undefined)
if (unknown !== undefined) {
  console.error(`${unknown} is none of ${Object.keys(requests).join(', ')}.`)
  process.exit(2)
}
const checkout = flags.at === undefined ? undefined : await checkOut(await commitOf(flags.at))
const sources = checkout?.folder ?? repository
let hasReachedUpstream = false
const node = createServer((request, response) => {
  request.resume().on('end', () => {
    hasReachedUpstream = true
    response
      .setHeader('content-type', 'application/json')
      .end('{"jsonrpc":"2.0","id":1,"result":"0x1","data":{}}')
  })
}).listen(0, '127.0.0.1')
await once(node, 'listening')
const nodeUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
const geyser = implement(GeyserDefinition, {
  getSlot: () => {
    hasReachedUpstream = true
    return { slot: 1n }
  },
  subscribe: async function* () {
    hasReachedUpstream = true
    yield { updateOneof: { $case: 'pong', value: { id: 1 } } }
  },
})
const grpcNode = createGrpcServer({ implementations: [geyser] })
await grpcNode.listen()
const environment = {
  FAIRLEAD_EVM_UPSTREAM: nodeUrl,
  FAIRLEAD_BEACON_UPSTREAM: nodeUrl,
  FAIRLEAD_GRPC_UPSTREAM: grpcNode.url,
  FAIRLEAD_BUILTIN_HTTP_SERVER: 'true',
  FAIRLEAD_PROBE_NODES: 'false',
  // A subscription polls. Its polls are not part of the request.
  FAIRLEAD_HEAD_POLL_MS: '600000',
}
const gateway = await serve(environment, sources, [process.execPath, '--inspect=127.0.0.1:0'])
try {
  const inspectorUrl = /ws:\/\/\S+/.exec(gateway.log())?.[0]
  if (inspectorUrl === undefined) throw new Error('The gateway does not say where its inspector listens.')
  const inspected = await inspect(inspectorUrl, sources)
  console.log(`the way of requests at ${checkout?.commit ?? 'the working tree'}`)
  for (const name of names) {
    const request = await requests[name]?.(gateway)
    if (!request) continue
    if (flags.allocations) {
      for (let times = 0; times < warmUpRequests; times++) await request()
      const bytes = await inspected.allocated(async () => {
        for (let times = 0; times < measuredRequests; times++) await request()
      })
      console.log(`${name}: ${(bytes / measuredRequests / 1_024).toFixed(1)} KiB a request`)
      continue
    }
    for (let times = 0; times < 3; times++) await request()
    // Functions that also run without a request are not part of any request.
    const idle = new Set((await inspected.ran(() => sleep(1_500))).map(keyOf))
    const ran = await inspected.ran(async () => {
      await request()
      await sleep(50)
    })
    let requestPath: readonly SourceFunction[] = []
    const toUpstream: SourceFunction[] = []
    const responsePath: SourceFunction[] = []
    hasReachedUpstream = false
    await inspected.entered(
      ran.filter((each) => !idle.has(keyOf(each))),
      async () => {
        await request()
        await sleep(100)
      },
      (entry, stack) => {
        ;(hasReachedUpstream ? responsePath : toUpstream).push(entry)
        if (!hasReachedUpstream && stack.length > requestPath.length && !stack.some(isHealthCheck))
          requestPath = stack
      },
    )
    report(name, requestPath, toUpstream, responsePath)
  }
  inspected.close()
} finally {
  await gateway.stop()
  await checkout?.remove()
}
process.exit(0)

function keyOf({ file, line, name }: SourceFunction): string {
  return `${file.replace('/src/', '/')}:${line} ${name || '(anonymous)'}`
}

/**
 * Prints the path of one request.
 *
 * @param requestPath - the deepest stack before the upstream was reached; calls that have returned by then are not part of it
 */
function report(
  name: string,
  requestPath: readonly SourceFunction[],
  toUpstream: readonly SourceFunction[],
  responsePath: readonly SourceFunction[],
): void {
  const files = new Set(toUpstream.map(({ file }) => file)).size
  console.log(
    `\n${name}: ${requestPath.length} hops; ${toUpstream.length} functions of ${files} files run in request direction, ` +
      `${responsePath.length} on the way back`,
  )
  const folders = requestPath
    .filter(({ file }) => !wrappers.has(file))
    .map(folderOf)
    .filter((folder, at, all) => folder !== all[at - 1])
  console.log(`  ${folders.join(' > ')}`)
  const repeated = [...new Set(folders.filter((folder, at) => folders.indexOf(folder) !== at))]
  console.log(`  entered again: ${repeated.length === 0 ? 'none' : repeated.join(', ')}`)
  for (const hop of requestPath) console.log(`  ${keyOf(hop)}`)
  if (!flags.list) return
  console.log('  all functions, > in request direction, < on the way back:')
  for (const entry of toUpstream) console.log(`  > ${keyOf(entry)}`)
  for (const entry of responsePath) console.log(`  < ${keyOf(entry)}`)
}

/**
 * Whether this is a health check: an upstream that was not used for a while is checked in parallel with the request.
 */
function isHealthCheck({ file }: SourceFunction): boolean {
  return file.includes('/health-check.ts') || file.includes('/upstream-watch.ts')
}

function folderOf({ file }: SourceFunction): string {
  const [name = '', , ...path] = file.split('/')
  return [name, ...path.slice(0, -1).slice(0, 1)].join('/')
}
