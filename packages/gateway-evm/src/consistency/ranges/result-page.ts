import { jsonParts } from '@fairlead/gateway-core/json-rpc/json-parts'

/** The part of a result that a client requests: the elements after the first ones, up to a number. */
export class ResultPage {
  #after: number
  #count: number

  /**
   * @param after - number of elements to skip
   * @param count - maximum number of elements, or Infinity
   */
  constructor(after: number, count: number) {
    this.#after = after
    this.#count = count
  }

  /** Whether no element is missing. */
  get isComplete(): boolean {
    return this.#count === 0
  }

  /** Maximum number of further elements to request, including those that are skipped. Undefined for all. */
  get maxElements(): number | undefined {
    return this.#count === Infinity ? undefined : this.#after + this.#count
  }

  /**
   * Returns the elements of the next chunk that belong to the page.
   *
   * @param chunk - JSON without the enclosing brackets; chunks have to be in the order of the result
   */
  take(chunk: string): string {
    const elements = jsonParts(`[${chunk}]`)
    const taken = elements.slice(this.#after, this.#after + this.#count)
    this.#after = Math.max(0, this.#after - elements.length)
    this.#count -= taken.length
    return taken.join(',')
  }
}
