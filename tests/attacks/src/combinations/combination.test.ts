import { expect, it } from 'vitest'
import {
  allCombinations,
  combinations,
  exclusionOf,
  nameOf,
  protocols,
  repetitions,
  withholdings,
} from './combination.ts'
import { drawn } from '@fairlead/vitest/draw'

it('each combination is run, or excluded with a reason', () => {
  expect(allCombinations).toHaveLength(protocols.length * repetitions.length * withholdings.length)
  expect(new Set(allCombinations.map(nameOf)).size).toBe(allCombinations.length)
  const excluded = allCombinations.filter((combination) => !combinations.includes(combination))
  expect(excluded.filter((combination) => !exclusionOf(combination))).toEqual([])
})

it.each([
  ['protocol', protocols],
  ['repeated', repetitions],
  ['withheld', withholdings],
] as const)('each %s is part of a combination that is run', (dimension, values) => {
  expect(new Set(combinations.map((combination) => combination[dimension]))).toEqual(new Set<string>(values))
})

it('a seed draws the same combinations each time, and no combination twice', () => {
  const first = drawn(combinations, 20, 7)
  expect(drawn(combinations, 20, 7)).toEqual(first)
  expect(new Set(first).size).toBe(20)
  expect(drawn(combinations, 20, 8)).not.toEqual(first)
})
