import { Dictionary, type Address, type Cell, type DictionaryValue } from '@ton/core'
import { writeBoc } from '../cells/bag-of-cells.ts'

const suspendedAddressesId = 44

const nothing: DictionaryValue<true> = { serialize: () => {}, parse: () => true }
const read = new WeakMap<Cell, Configuration>()

/**
 * Reads the configuration of a network; the same cell is read once, as it takes the time of many other requests.
 *
 * @param root The dictionary that a key block holds.
 */
export function readConfiguration(root: Cell): Configuration {
  const known = read.get(root)
  if (known !== undefined) return known
  const configuration = new Configuration(root)
  read.set(root, configuration)
  return configuration
}

/** The configuration of a network. */
export class Configuration {
  /** The whole of it as a bag of cells in base64. */
  readonly boc: string
  readonly #parameters: Dictionary<number, Cell>
  readonly #suspended: Dictionary<Buffer, true>
  readonly #suspendedUntil: number

  constructor(root: Cell) {
    this.boc = writeBoc(root)
    this.#parameters = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), root)
    const suspended = this.#parameters.get(suspendedAddressesId)?.beginParse().skip(8)
    this.#suspended = suspended?.loadDict(Dictionary.Keys.Buffer(36), nothing) ?? Dictionary.empty()
    this.#suspendedUntil = suspended?.loadUint(32) ?? 0
  }

  /** The cell of a parameter; undefined for one that is not set. */
  parameter(id: number): Cell | undefined {
    return this.#parameters.get(id)
  }

  /**
   * Tells whether the network keeps an address from being used for now.
   *
   * @param now Unix seconds.
   */
  isSuspended(address: Address, now: number): boolean {
    const key = Buffer.alloc(36)
    key.writeInt32BE(address.workChain)
    address.hash.copy(key, 4)
    return now < this.#suspendedUntil && this.#suspended.has(key)
  }
}
