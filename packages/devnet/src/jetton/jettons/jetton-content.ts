import { createHash } from 'node:crypto'
import { beginCell, Dictionary, type Cell, type Slice } from '@ton/core'
import type { JettonContent } from '../chain/jetton-chain.ts'

// Attributes of TEP-64 for jettons; a dictionary contains only the hashes of their names.
const attributes = [
  'uri',
  'name',
  'description',
  'image',
  'image_data',
  'symbol',
  'decimals',
  'amount_style',
  'render_type',
] as const
const onChain = 0x00
const offChain = 0x01
const snake = 0x00
const chunked = 0x01

/**
 * Serializes on-chain content (TEP-64).
 *
 * @param content Attributes and their text.
 */
export function writeJettonContent(content: JettonContent): Cell {
  const dictionary = Dictionary.empty(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell())
  for (const [name, value] of Object.entries(content)) {
    dictionary.set(keyOf(name), beginCell().storeUint(snake, 8).storeStringTail(value).endCell())
  }
  return beginCell().storeUint(onChain, 8).storeDict(dictionary).endCell()
}

/**
 * Parses the content of a jetton (TEP-64).
 *
 * @returns The attributes, `image_data` as base64; only the `uri` for off-chain content; nothing for malformed content.
 */
export function readJettonContent(content: Cell): JettonContent {
  try {
    const slice = content.beginParse()
    const layout = slice.loadUint(8)
    if (layout === offChain) return { uri: readSnake(slice).toString() }
    return layout === onChain ? readAttributes(slice) : {}
  } catch {
    return {}
  }
}

function readAttributes(slice: Slice): JettonContent {
  const dictionary = slice.loadDict(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell())
  const entries = attributes.flatMap((name) => {
    const value = dictionary.get(keyOf(name))
    if (value === undefined) return []
    const bytes = readValue(value.beginParse())
    return [[name, name === 'image_data' ? bytes.toString('base64') : bytes.toString()]]
  })
  return Object.fromEntries(entries)
}

function readValue(slice: Slice): Buffer {
  const form = slice.loadUint(8)
  if (form === snake) return readSnake(slice)
  if (form !== chunked) throw new TypeError('the value has neither of the two forms')
  const chunks = slice.loadDict(Dictionary.Keys.Uint(32), Dictionary.Values.Cell())
  return Buffer.concat(chunks.values().map((chunk) => readSnake(chunk.beginParse())))
}

function readSnake(slice: Slice): Buffer {
  const parts: Buffer[] = []
  for (let rest: Slice | undefined = slice; rest !== undefined;) {
    parts.push(rest.loadBuffer(Math.floor(rest.remainingBits / 8)))
    rest = rest.remainingRefs > 0 ? rest.loadRef().beginParse() : undefined
  }
  return Buffer.concat(parts)
}

function keyOf(name: string): Buffer {
  return createHash('sha256').update(name).digest()
}
