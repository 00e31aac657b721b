import type { Draw } from '@fairlead/http1/testing/generated-messages'

// Most clients count from 1, so the ids of different clients are often equal.
const frequentIds = ['1', '2', '3', '"1"', '0']

const unusualIds = [
  '-7',
  '1.0',
  '2.50',
  '1e3',
  '123456789012345',
  '9007199254740993',
  '123456789012345678901234567890',
  'null',
  'true',
  '""',
  '"a b.c:-1"',
  String.raw`"\u0041\"\\\/\n\ud83d\ude80"`,
  '"日本語 é 🚀"',
  String.raw`"\"id\":1,\"result\":\"0x1\"}"`,
  `"${'x'.repeat(300)}"`,
  '9'.repeat(300),
]

/** Draws the id of a client's call, as JSON. */
export function drawId(draw: Draw): string {
  const ids = draw(2) === 0 ? frequentIds : unusualIds
  return ids[draw(ids.length)] as string
}
