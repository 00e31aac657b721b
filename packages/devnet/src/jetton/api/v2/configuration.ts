import { Dictionary, type Address, type Cell, type DictionaryValue } from '@ton/core'
import { writeBoc } from '../cells/bag-of-cells.ts'

const suspendedAddressesId = 44

const emptyValue: DictionaryValue<true> = { serialize: () => {}, parse: () => true }
const read = new WeakMap<Cell, Configuration>()

/**
 * Parses the configuration of a network. The same cell is parsed once, because parsing takes as long as many other
 * requests.
 *
 * @param root The dictionary in a key block.
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
  /** The whole configuration as a bag of cells in base64. */
  readonly boc: string
  readonly #parameters: Dictionary<number, Cell>
  readonly #suspended: Dictionary<Buffer, true>
  readonly #suspendedUntil: number

  constructor(root: Cell) {
    this.boc = writeBoc(root)
    this.#parameters = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), root)
    const suspended = this.#parameters.get(suspendedAddressesId)?.beginParse().skip(8)
    this.#suspended = suspended?.loadDict(Dictionary.Keys.Buffer(36), emptyValue) ?? Dictionary.empty()
    this.#suspendedUntil = suspended?.loadUint(32) ?? 0
  }

  /** Returns the cell of a parameter; undefined for a parameter that is not set. */
  parameter(id: number): Cell | undefined {
    return this.#parameters.get(id)
  }

  /**
   * Whether the network configuration suspends an address at a given time.
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
