import { expect, it } from 'vitest'
import { printedPattern } from './printed.ts'

it('takes what differs from run to run for what it is, and nothing else', () => {
  const pattern = printedPattern('block … of 0x7a69\n…\nend.\n')
  expect('block 12 of 0x7a69\nend.\n').toMatch(pattern)
  expect('block 12 of 0x7a69\na\nb\nend.\n').toMatch(pattern)
  expect('block 12 of 0x1\nend.\n').not.toMatch(pattern)
  expect('block 12\nof 0x7a69\nend.\n').not.toMatch(pattern)
  expect('block 12 of 0x7a69\nendX\n').not.toMatch(pattern)
  expect('block 12 of 0x7a69\nend.\nmore\n').not.toMatch(pattern)
})
