import { beginCell, type Cell } from '@ton/core'
import { expect, it } from 'vitest'
import { burnComment } from './burn-comment.ts'

const boc = (cell: Cell) => cell.toBoc().toString('base64')
const comment = (text: string | Buffer) =>
  beginCell().storeUint(0, 32).storeBuffer(Buffer.from(text)).endCell()

it.each<readonly [name: string, decoded: unknown, payload: unknown, text: string]>([
  ['none', null, null, ''],
  ['decoded by the indexer', { '@type': 'text_comment', comment: 'Hi' }, undefined, 'Hi'],
  ['not decoded by the indexer', null, boc(comment('Grüße')), 'Grüße'],
  ['of another type', { '@type': 'other', comment: 'No' }, boc(comment('Plain')), 'Plain'],
  ['in several cells, split within a character', null, boc(splitComment('Grüße', 3)), 'Grüße'],
  ['bytes that are not UTF-8', null, boc(comment(Buffer.from([0x41, 0xff, 0x42]))), 'A\u{fffd}B'],
  ['another operation', null, boc(beginCell().storeUint(1, 32).storeUint(65, 8).endCell()), ''],
  ['an encrypted comment', null, boc(beginCell().storeUint(0x2167da4b, 32).endCell()), ''],
  ['half a byte', null, boc(beginCell().storeUint(0, 36).endCell()), ''],
  ['no operation', null, boc(beginCell().endCell()), ''],
  ['not a bag of cells', null, 'AAAA', ''],
  ['a long comment', null, boc(longComment(90)), 'A'.repeat(90 * 120)],
  ['a comment that is too long to parse', null, boc(longComment(200)), ''],
])('reads the comment of a burn: %s', (_, decoded, payload, text) => {
  expect(burnComment(decoded, payload)).toBe(text)
})

function splitComment(text: string, at: number): Cell {
  const bytes = Buffer.from(text)
  const rest = beginCell().storeBuffer(bytes.subarray(at)).endCell()
  return beginCell().storeUint(0, 32).storeBuffer(bytes.subarray(0, at)).storeRef(rest).endCell()
}

function longComment(cells: number): Cell {
  const rest = Array.from({ length: cells }).reduce<Cell>(
    (next) => beginCell().storeBuffer(Buffer.alloc(120, 65)).storeRef(next).endCell(),
    beginCell().endCell(),
  )
  return beginCell().storeUint(0, 32).storeRef(rest).endCell()
}
