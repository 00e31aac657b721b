import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileSampleToken } from '../../../contracts/compile-sample-token.ts'

test('the committed token matches the compiler output', () => {
  const committed = readFileSync(new URL('../generated/sample-token.ts', import.meta.url), 'utf8')
  expect(committed).toBe(compileSampleToken())
})
