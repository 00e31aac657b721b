import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SecretKey } from '@chainsafe/blst'
import type { Type } from '@chainsafe/ssz'
import { chainConfigFromJson, createBeaconConfig, createChainForkConfig } from '@lodestar/config'
import { SLOTS_PER_EPOCH } from '@lodestar/params'
import { computeSigningRoot, interopSecretKeys } from '@lodestar/state-transition'
import { fromHex } from '@lodestar/utils'
import { afterAll, beforeAll } from 'vitest'
import type { DevnetEvent } from '../src/runtime/devnet-event.ts'
import { serveBeaconApi, type BeaconApiServer } from '../src/beacon/api/beacon-api-server.ts'
import { createBeaconChain } from '../src/beacon/chain/create-beacon-chain.ts'
import type { DevnetBeaconChain } from '../src/beacon/chain/devnet-beacon-chain.ts'
import { startBeaconNode, type BeaconNode, type BeaconNodeOptions } from '../src/beacon/start.ts'

/** JSON in a response of the beacon node. */
// oxlint-disable-next-line typescript/no-explicit-any -- the tests look into answers of every shape
export type Json = any

/** A response of the beacon node. */
export interface ApiResponse {
  status: number
  headers: Headers
  /** Parsed JSON, or the bytes of another media type. */
  body: Json
}

/** Starts one beacon node for all tests of a file; none of them may cause an internal error. */
export function useBeaconNode(options: Partial<BeaconNodeOptions> = {}): { readonly url: string } {
  let node: BeaconNode | undefined
  let directory = ''
  const faults: string[] = []
  const onEvent = (event: DevnetEvent) => event.kind === 'output' && faults.push(event.line)
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fairlead-beacon-'))
    node = await startBeaconNode({ directory, secondsPerSlot: 1, branching: false, onEvent, ...options })
  }, 90_000)
  afterAll(async () => {
    await node?.stop()
    await rm(directory, { recursive: true, force: true })
    if (faults.length > 0) throw new Error(`the node reported errors:\n${faults.join('\n')}`)
  })
  return {
    get url() {
      if (node === undefined) throw new Error('the node is available only while tests run')
      return node.url
    },
  }
}

/** A beacon node whose slots a test advances; between calls it is in a slot after its block and before the votes. */
interface SteppedNode {
  readonly url: string
  readonly chain: DevnetBeaconChain
  /** Publishes the votes of the slot, and then the block of the next one. */
  nextSlot(): Promise<void>
}

/** Serves one chain without a clock for all tests of a file; none of them may cause an internal error. */
export function useSteppedNode(): SteppedNode {
  let chain: DevnetBeaconChain | undefined
  let server: BeaconApiServer | undefined
  const faults: unknown[] = []
  const onFault = (error: unknown) => void faults.push(error)
  const running = () => {
    if (chain === undefined || server === undefined)
      throw new Error('the node is available only while tests run')
    return { chain, server }
  }
  beforeAll(async () => {
    chain = await createBeaconChain({ secondsPerSlot: 2, branching: false, onFault })
    server = await serveBeaconApi({ chain, port: 0, version: '0.0.0', onFault })
    await chain.runPhase(chain.currentSlot + 1, 'propose')
  }, 90_000)
  afterAll(async () => {
    await server?.close()
    if (faults.length > 0) throw new AggregateError(faults, 'the node reported errors')
  })
  return {
    get url() {
      return `http://127.0.0.1:${running().server.port}`
    },
    get chain() {
      return running().chain
    },
    async nextSlot() {
      const { chain: runningChain } = running()
      const slot = runningChain.currentSlot
      await runningChain.runPhase(slot, 'attest')
      await runningChain.runPhase(slot, 'aggregate')
      await runningChain.runPhase(slot + 1, 'propose')
    },
  }
}

/** Sends a request and reads the whole response. */
export async function sendRequest(url: string, path: string, init?: RequestInit): Promise<ApiResponse> {
  const response = await fetch(`${url}${path}`, init)
  const { status, headers } = response
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false
  const body: Json = isJson ? await response.json() : new Uint8Array(await response.arrayBuffer())
  return { status, headers, body }
}

/** Requests SSZ. */
export function requestSsz(url: string, path: string, init: RequestInit = {}): Promise<ApiResponse> {
  const headers = new Headers(init.headers)
  headers.set('accept', 'application/octet-stream')
  return sendRequest(url, path, { ...init, headers })
}

/** Creates a POST request with JSON, for the fork of this chain. */
export function json(body: Json): RequestInit & { method: 'POST' } {
  const headers = { 'content-type': 'application/json', 'eth-consensus-version': 'fulu' }
  return { method: 'POST', headers, body: JSON.stringify(body) }
}

/** Creates a POST request with SSZ, for the fork of this chain. */
export function bytes(body: Uint8Array): RequestInit & { method: 'POST' } {
  const headers = { 'content-type': 'application/octet-stream', 'eth-consensus-version': 'fulu' }
  return { method: 'POST', headers, body: Buffer.from(body) }
}

/** Repeats a request until the response matches. */
export async function until(
  send: () => Promise<ApiResponse>,
  matches: (response: ApiResponse) => boolean,
  timeoutMs = 15_000,
): Promise<ApiResponse> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const response = await send()
    if (matches(response)) return response
    if (Date.now() > deadline) throw new Error(`not as wanted in time: ${JSON.stringify(response.body)}`)
    await sleep(50)
  }
}

/** The keys of the chain's validators, which are public, and the data that signing requires. */
export class Validators {
  readonly keys: readonly SecretKey[] = interopSecretKeys(64)
  readonly config: ReturnType<typeof createBeaconConfig>

  private constructor(spec: Json, genesisValidatorsRoot: string) {
    const chain = createChainForkConfig(chainConfigFromJson(spec))
    this.config = createBeaconConfig(chain, fromHex(genesisValidatorsRoot))
  }

  /** Reads this data from the beacon node. */
  static async of(url: string): Promise<Validators> {
    const spec = await sendRequest(url, '/eth/v1/config/spec')
    const genesis = await sendRequest(url, '/eth/v1/beacon/genesis')
    return new Validators(spec.body.data, genesis.body.data.genesis_validators_root)
  }

  /** Signs an object of a slot for one validator. */
  sign<value>(
    validator: number,
    domain: Uint8Array,
    slot: number,
    type: Type<value>,
    value: value,
  ): Uint8Array {
    return this.signRoot(
      validator,
      computeSigningRoot(type, value, this.config.getDomain(slot, domain, slot)),
    )
  }

  signRoot(validator: number, signingRoot: Uint8Array): Uint8Array {
    const key = this.keys[validator]
    if (key === undefined) throw new Error('no such validator')
    return key.sign(signingRoot).toBytes()
  }
}

/** The epoch of a slot. */
export function epochOf(slot: number): number {
  return Math.floor(slot / SLOTS_PER_EPOCH)
}
