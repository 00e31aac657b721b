import type { BlockReference, ChainView } from './chain-view.ts'

/** A pool that observes a chain. */
interface ObservingPool {
  readonly chain: ChainView
}

/** The chain of a node, as its current pool observes it. */
export class NodeChain implements ChainView {
  readonly #pool: { readonly current: ObservingPool }
  readonly #listeners = new Set<(lowest: number) => void>()
  #followed: ChainView | undefined

  constructor(pool: { readonly current: ObservingPool }) {
    this.#pool = pool
  }

  get head(): BlockReference | undefined {
    return this.#current().head
  }

  get finalized(): number | undefined {
    return this.#current().finalized
  }

  doubts(number: number): boolean {
    return this.#current().doubts(number)
  }

  onReorganized(listener: (lowest: number) => void): void {
    this.#listeners.add(listener)
    this.#current()
  }

  #current(): ChainView {
    const { chain } = this.#pool.current
    if (chain !== this.#followed && this.#listeners.size > 0) {
      this.#followed = chain
      chain.onReorganized((lowest) => {
        if (chain !== this.#pool.current.chain) return
        for (const listener of this.#listeners) listener(lowest)
      })
    }
    return chain
  }
}
