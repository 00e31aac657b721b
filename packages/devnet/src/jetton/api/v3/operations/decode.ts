import type { Cell } from '@ton/core'
import { readBoc } from '../../cells/bag-of-cells.ts'
import { decodeBody, nameOpcode } from '../decode/message-body.ts'
import { Failure } from '../../failure.ts'
import { call, query } from '../operation.ts'
import { opcodes, texts } from '../parameters.ts'

/** Operations that name operation codes and decode message bodies, by GET or, for long bodies, by POST. */
export const decodeOperations = [
  query('decode', { opcodes, bodies: texts }, (_context, values) => decode(values.opcodes, values.bodies)),

  call('decode', (_context, input) =>
    decode(
      opcodes(readTexts(input['opcodes'], 'opcodes'), 'opcodes'),
      texts(readTexts(input['bodies'], 'bodies'), 'bodies'),
    ),
  ),
]

function decode(codes: readonly number[], bodies: readonly string[]) {
  return {
    opcodes: codes.map((code) => nameOpcode(code) ?? 'unknown'),
    bodies: bodies.map((body) => decodeBody(readCell(body)) ?? {}),
  }
}

function readCell(text: string): Cell {
  const isHex = /^([0-9a-f]{2})+$/i.test(text)
  const cell = readBoc(isHex ? Buffer.from(text, 'hex').toString('base64') : text)
  if (cell === undefined) throw new Failure(422, 'bodies must be bags of cells, in base64 or hex')
  return cell
}

function readTexts(input: unknown = [], name: string): readonly string[] {
  const list: readonly unknown[] = Array.isArray(input) ? input : [undefined]
  if (list.every((text) => typeof text === 'string')) return list
  throw new Failure(422, `${name} must be a list of texts`)
}
