import { Executor } from '@ton/sandbox'

/** The engine failed during the call, so the call has no result. */
export class EngineBroken extends Error {
  override readonly name = 'EngineBroken'
}

/** The transaction executor of the TON node. */
export class Engine {
  #executor: Executor

  private constructor(executor: Executor) {
    this.#executor = executor
  }

  static async create(): Promise<Engine> {
    return new Engine(await Executor.create())
  }

  /**
   * Runs work with the executor.
   *
   * Deeply nested cells overflow its stack, and after that every call fails. So a failed executor is replaced by a new
   * one.
   *
   * @throws {@link EngineBroken}
   */
  async run<result>(work: (executor: Executor) => Promise<result>): Promise<result> {
    const executor = this.#executor
    try {
      return await work(executor)
    } catch (cause) {
      const next = await Executor.create()
      // A concurrent call may have replaced it already.
      if (this.#executor === executor) this.#executor = next
      throw new EngineBroken('the engine cannot carry this out', { cause })
    }
  }
}
