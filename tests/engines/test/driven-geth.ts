import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineChain } from './engine-chain.ts'
import { EngineNode, type Payload } from './engine-node.ts'
import { genesis } from './genesis.ts'
import { type Geth, gethFolder, initialize, startGeth } from './geth.ts'

/** How a driven node is started. */
export interface DrivenStart {
  readonly flags?: readonly string[]
  readonly namespaces?: string
}

/** A node that receives its blocks from its peers. */
export interface PeerGeth extends Geth {
  /** Makes it sync a block and its ancestors. */
  follow(head: Payload): Promise<void>
}

// Archive mode, because a node that is killed loses the states that it has not written.
export const everyState = ['--gcmode', 'archive', '--state.scheme', 'hash']

/** A go-ethereum whose chain the test controls, at URLs that stay the same across a restart. */
export class DrivenGeth {
  readonly chain: EngineChain
  #geth: Geth
  readonly #folder: string
  readonly #start: DrivenStart
  #genesis: object
  readonly #closes: (() => Promise<void>)[]

  private constructor(
    geth: Geth,
    chain: EngineChain,
    folder: string,
    start: DrivenStart,
    genesisBlock: object,
    closes: (() => Promise<void>)[],
  ) {
    this.#geth = geth
    this.chain = chain
    this.#folder = folder
    this.#start = start
    this.#genesis = genesisBlock
    this.#closes = closes
  }

  /** Starts a node, and a second one that builds its blocks. */
  static async start(start: DrivenStart = {}): Promise<DrivenGeth> {
    const folder = await gethFolder()
    const builderFolder = await gethFolder()
    const block = genesis(Math.floor(Date.now() / 1_000) - 3_600)
    await initialize(folder.path, block, start.flags)
    await initialize(builderFolder.path, block)
    const geth = await startGeth({ folder: folder.path, ...start })
    const builder = await startGeth({ folder: builderFolder.path, namespaces: 'eth,debug,testing' })
    const chain = await EngineChain.drive(
      { geth, folder: folder.path },
      { geth: builder, folder: builderFolder.path },
    )
    const closes = [() => builder.stop('SIGKILL'), folder.remove, builderFolder.remove]
    return new DrivenGeth(geth, chain, folder.path, start, block, closes)
  }

  get httpUrl(): string {
    return this.#geth.httpUrl
  }

  get webSocketUrl(): string {
    return this.#geth.webSocketUrl
  }

  /** URL of the authenticated port, and the file with its secret. */
  get authenticated(): { readonly url: string; readonly secretFile: string } {
    const { engineUrl } = this.#geth
    if (engineUrl === undefined) throw new Error('the node has no authenticated port')
    return { url: engineUrl, secretFile: join(this.#folder, 'geth/jwtsecret') }
  }

  /** Stops the node with a signal and starts it at the same URLs. The chain continues from its last block. */
  async restart(signal: NodeJS.Signals, start: DrivenStart = this.#start): Promise<void> {
    const head = await this.chain.head()
    await this.#geth.stop(signal)
    await this.#startAgain(start)
    await this.chain.resume({ geth: this.#geth, folder: this.#folder }, head)
  }

  /** Starts another node with the same genesis block. The test decides which further blocks it has. */
  async peer(start: DrivenStart): Promise<PeerGeth> {
    const folder = await gethFolder()
    await initialize(folder.path, this.#genesis)
    const geth = await startGeth({ folder: folder.path, ...start })
    const node = await EngineNode.of({ geth, folder: folder.path })
    return {
      ...geth,
      follow: (head) => node.follow(head),
      stop: async () => {
        await geth.stop('SIGKILL')
        await folder.remove()
      },
    }
  }

  /** Replaces the node with one that has only the genesis block of another chain. */
  async wipe(): Promise<void> {
    await this.#geth.stop('SIGKILL')
    await rm(this.#folder, { recursive: true })
    await mkdir(this.#folder)
    const block = genesis(Math.floor(Date.now() / 1_000) - 1_800)
    this.#genesis = block
    await initialize(this.#folder, block, this.#start.flags)
    await this.#startAgain(this.#start)
    const builderFolder = await gethFolder()
    await initialize(builderFolder.path, block)
    const builder = await startGeth({ folder: builderFolder.path, namespaces: 'eth,debug,testing' })
    this.#closes.push(() => builder.stop('SIGKILL'), builderFolder.remove)
    await this.chain.replace(
      { geth: this.#geth, folder: this.#folder },
      { geth: builder, folder: builderFolder.path },
    )
  }

  async #startAgain(start: DrivenStart): Promise<void> {
    const [http, webSocket] = [this.httpUrl, this.webSocketUrl].map((url) => Number(new URL(url).port))
    this.#geth = await startGeth({
      folder: this.#folder,
      ...start,
      ports: { http: http ?? 0, webSocket: webSocket ?? 0 },
    })
  }

  async stop(): Promise<void> {
    await this.#geth.stop('SIGKILL')
    for (const close of this.#closes) await close()
  }
}
