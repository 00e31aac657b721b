/** Lets one piece of work run at a time, in the order of the asking. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  take<result>(work: () => Promise<result>): Promise<result> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
