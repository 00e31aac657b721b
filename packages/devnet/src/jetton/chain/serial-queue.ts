/** Lets one piece of work run at a time, in the order of the asking. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<result>(work: () => Promise<result>): Promise<result> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
