import { hash } from 'node:crypto'
import { BitString, Cell, CellType, Slice, type BitReader } from '@ton/core'
import { ByteReader } from './byte-reader.ts'

const hashBytes = 32
const depthBytes = 2

/** The location of a cell's data. */
export interface CellData {
  readonly bytes: Buffer
  /** First bit. */
  readonly start: number
  /** Length in bits. */
  readonly length: number
}

/**
 * Creates an ordinary cell of level zero whose hash is computed on first use.
 *
 * The library computes the hash of a cell on creation, in JavaScript; that takes most of the time of a parser that
 * needs few hashes or none.
 *
 * @param data Its bytes must not change.
 * @param refs At most four.
 * @param content Descriptors and padded data, the first part of the hash input, if they are available.
 */
export function unhashedCell(data: CellData, refs: readonly Cell[], content?: Buffer): Cell {
  // It has all public members of a cell; the compiler only misses its private members.
  return new UnhashedCell(data, [...refs], content) as unknown as Cell
}

class UnhashedCell {
  readonly type = CellType.Ordinary
  readonly mask = Cell.EMPTY.mask
  readonly bits: BitString
  readonly refs: Cell[]
  readonly #data: CellData
  readonly #content: Buffer | undefined
  #hash: Buffer | undefined
  #depth: number | undefined

  constructor(data: CellData, refs: Cell[], content: Buffer | undefined) {
    this.bits = new BitString(data.bytes, data.start, data.length)
    this.refs = refs
    this.#data = data
    this.#content = content
  }

  hash(): Buffer {
    return (this.#hash ??= this.#computeHash())
  }

  depth(): number {
    return (this.#depth ??= this.refs.reduce((depth, cell) => Math.max(depth, cell.depth() + 1), 0))
  }

  level(): number {
    return 0
  }

  equals(other: Cell): boolean {
    return this.hash().equals(other.hash())
  }

  beginParse(): Slice {
    const { bytes, start, length } = this.#data
    return new UnhashedSlice(this.#data, new ByteReader(bytes, start, length), this.refs)
  }

  #computeHash(): Buffer {
    const { bits, refs } = this
    if (this.#content === undefined) return new Cell({ bits, refs }).hash()
    const content = Buffer.allocUnsafe(this.#content.length + refs.length * (depthBytes + hashBytes))
    let position = this.#content.copy(content)
    for (const cell of refs) position = content.writeUInt16BE(cell.depth(), position)
    for (const cell of refs) position += cell.hash().copy(content, position)
    return hash('sha256', content, 'buffer')
  }
}
// The constructor of a cell computes its hash, so this one cannot extend it in the usual way.
Object.setPrototypeOf(UnhashedCell.prototype, Cell.prototype)

class UnhashedSlice extends Slice {
  readonly #data: CellData

  constructor(data: CellData, reader: BitReader, refs: Cell[]) {
    super(reader, refs)
    this.#data = data
  }

  override asCell(): Cell {
    const { bytes, start } = this.#data
    const rest = { bytes, start: start + this.offsetBits, length: this.remainingBits }
    const slice = this.clone()
    return unhashedCell(
      rest,
      Array.from({ length: this.remainingRefs }, () => slice.loadRef()),
    )
  }
}
