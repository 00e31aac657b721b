import { Executor } from '@ton/sandbox'

/** The engine broke off while it worked; what it was asked for has no outcome. */
export class EngineBroken extends Error {
  override readonly name = 'EngineBroken'
}

/** The node's transaction executor. */
export class Engine {
  #executor: Executor

  private constructor(executor: Executor) {
    this.#executor = executor
  }

  static async create(): Promise<Engine> {
    return new Engine(await Executor.create())
  }

  /**
   * Lets the executor work.
   *
   * Cells that are nested deep overflow its stack, and after that it fails at everything. So one that broke off gives way to
   * a new one.
   *
   * @throws {@link EngineBroken}
   */
  async run<result>(work: (executor: Executor) => Promise<result>): Promise<result> {
    const executor = this.#executor
    try {
      return await work(executor)
    } catch (cause) {
      const next = await Executor.create()
      // Another call may have met the same end.
      if (this.#executor === executor) this.#executor = next
      throw new EngineBroken('the engine cannot carry this out', { cause })
    }
  }
}
