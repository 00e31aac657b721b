import { expect, it } from 'vitest'
import { hasConflictingHost } from './request-host.ts'

it.each<readonly [url: string | undefined, rawHeaders: readonly string[], isConflict: boolean]>([
  // HTTP/1.1
  ['/', ['Host', 'a.example'], false],
  ['/', ['accept', '*/*'], false],
  ['/', ['Host', 'a.example', 'hOST', 'a.example'], true],
  ['/', ['Host', 'a.example', 'x-host', 'b.example'], false],
  ['/?http://b.example/', ['Host', 'a.example'], false],
  ['http://a.example/', ['Host', 'a.example'], false],
  ['http://a.example?x', ['Host', 'a.example'], false],
  ['HTTP://A.example:80/', ['Host', 'a.EXAMPLE'], false],
  ['https://a.example/', ['Host', 'a.example:443'], false],
  ['http://a.example/', ['Host', 'b.example'], true],
  ['http://a.example/', ['Host', ''], true],
  ['http://a.example/', ['Host', 'a.example:443'], true],
  ['http://a.example:81/', ['Host', 'a.example'], true],
  ['http://b.example@a.example/', ['Host', 'b.example'], true],
  // HTTP/2
  [undefined, [':scheme', 'http', ':authority', 'a.example'], false],
  [undefined, [':scheme', 'http', 'host', 'a.example'], false],
  [undefined, [':scheme', 'http', ':authority', 'a.example', 'host', 'A.example'], false],
  [undefined, [':authority', 'a.example:443', ':scheme', 'https', 'host', 'a.example'], false],
  [undefined, [':scheme', 'http', ':authority', 'a.example', 'host', 'b.example'], true],
  [undefined, [':scheme', 'http', ':authority', '', 'host', 'b.example'], true],
  [undefined, [':scheme', 'http', 'host', 'a.example', 'host', 'b.example'], true],
])('the host of %j with %j is ambiguous: %j', (url, rawHeaders, isConflict) => {
  expect(hasConflictingHost({ url, rawHeaders })).toBe(isConflict)
})
